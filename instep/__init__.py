"""Instep: a help center that keeps itself in step with a product's code."""

from importlib.metadata import version

__version__ = version("instep")
