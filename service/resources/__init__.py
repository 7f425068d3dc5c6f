"""Resources of the graph: what is held about an IRI, its forms for programs, and what pages show of it."""
