"""samesum in the places of what people already use: the reference evaluator, backends, sessions, compiled models."""
