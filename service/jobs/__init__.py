"""Questions that wait and are worked on: a table that outlives the process, a fair queue, and what runs it."""
