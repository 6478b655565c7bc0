"""A model as data: values, nodes, the operators around the family, and the order in which they run."""
