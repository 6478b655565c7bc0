"""Models in files, as something to run."""
