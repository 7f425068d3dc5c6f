"""Queries that cannot harm: worker processes over published snapshots, killed at their limit."""
