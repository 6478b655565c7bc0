"""The edges of every operator, decided by SEMANTICS and NUMERICS, expected bit for bit."""
