"""Other people's engines: their packages, and processes to run them in."""
