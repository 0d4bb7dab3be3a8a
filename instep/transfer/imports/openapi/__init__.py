"""Writes a page for each operation of an OpenAPI document."""
