"""Instep: a help center that keeps itself in step with a product's code."""
