"""How much standing a speaker has on a question: features by SPARQL and Qdrant, scores by formula."""
