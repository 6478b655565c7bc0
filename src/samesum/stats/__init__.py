"""Exact figures of the tensors in files: counts, extremes, sums and what follows from them; states that merge."""
