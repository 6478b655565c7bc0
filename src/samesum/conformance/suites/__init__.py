"""The cases that engines are put to: the standards' own, two runtimes' own, and the edges."""
