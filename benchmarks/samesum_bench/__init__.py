"""Speed beside the others and beside the machine's memory, with the error of each answer."""
