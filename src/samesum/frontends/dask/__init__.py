"""Dask arrays: the functions on arrays give lazy ones of them, with exact states between the chunks."""
