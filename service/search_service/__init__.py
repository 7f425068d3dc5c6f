"""The search as a SPARQL service: the engine finds what a query seeks, and the query is run over what was found."""
