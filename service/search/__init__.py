"""Search in the record: by words, by meaning or both; speeches, acts and people."""
