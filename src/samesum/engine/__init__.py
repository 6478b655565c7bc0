"""Who runs it: arrays in memory on the compiled core."""
