"""A model as data: values, nodes, the order in which they run, and the running of them."""
