"""What the standards say: one row for each version of each operator, looked up by opset and bound to its attributes."""
