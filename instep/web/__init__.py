"""Plumbing of the faces: how requests come in and answers go out."""
