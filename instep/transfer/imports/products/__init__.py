"""Shared by the readers of other products' exports: saved JSON, addresses with ids, texts in HTML."""
