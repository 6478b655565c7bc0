"""Other libraries' engines: one adapter each, and the processes that they run in."""
