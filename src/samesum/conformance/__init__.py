"""Suites of cases, and how engines answer them."""
