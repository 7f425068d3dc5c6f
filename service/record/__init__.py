"""What the pages of the record show: sittings and who spoke in them, people, and the data themselves."""
