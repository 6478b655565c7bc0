"""The operators of the two standards as functions."""
