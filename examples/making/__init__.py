"""How the examples are made; `../make_examples.py` writes them."""
