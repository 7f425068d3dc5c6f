"""Reading SPARQL text before any engine sees it: tokens, structure, limits, other dialects, partners."""
