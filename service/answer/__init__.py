"""From evidence to a cited answer: candidates, writing, citing, and the answer as linked data."""
