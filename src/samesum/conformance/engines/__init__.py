"""One adapter for each engine: a case in, its answer or its refusal out."""
