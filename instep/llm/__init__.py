"""The seam to a language model: one protocol, two providers, and what may be spent. It is optional."""
