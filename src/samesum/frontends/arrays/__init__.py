"""The functions on arrays."""
