"""The APIs: they translate calls and files, and do nothing else."""
