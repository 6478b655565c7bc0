"""What a reduction is: rows of map, combine and finalize, and the same algebra in exact plain Python."""
