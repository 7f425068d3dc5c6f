"""The ranking of all who were weighed for a topic, with what each figure was made of."""
