"""From source files to a published corpus: stage, read, enrich, check, index, publish."""
