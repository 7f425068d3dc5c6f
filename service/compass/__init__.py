"""The compass: where groups stand on a topic, told by the vectors of what they said."""
