"""Two channels to the passages that answer a question, their merge, and coverage of every group."""
