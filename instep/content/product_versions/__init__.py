"""Versions of the product that a help center describes, such as 1.x and 2.0."""
