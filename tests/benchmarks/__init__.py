"""Benchmarks: they print what they measure and assert nothing (`make bench`)."""
