"""The running program of Emiciclo: from a question to a cited answer, over RDF and vectors."""
