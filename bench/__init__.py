"""Measurements: never part of the tests, always side by side with what they are compared to."""
