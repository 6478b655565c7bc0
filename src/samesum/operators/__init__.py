"""How a bound operator runs, and what types and shapes it gives."""
