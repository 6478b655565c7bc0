"""Other engines beside samesum: the suites that all of them are put to, and what they give."""
