"""A corpus as it is given away: dumps, statistics, and the descriptions that catalogues harvest."""
