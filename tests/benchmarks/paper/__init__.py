"""`make bench-paper`: what loading, asking and starting cost on a generated parliament of a stated scale.

Each part runs in a process of its own, so that its memory is its own, and gives plain values, which are kept
in `var/bench-paper-<scale>.json`. No figure is asserted: what is wanted is printed beside what was measured.
"""
