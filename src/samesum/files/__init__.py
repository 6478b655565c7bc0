"""Arrays on disk: the header of a file is read first, its elements on demand; files are written whole or not at all."""
