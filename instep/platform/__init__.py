"""Code without knowledge of the product: database, jobs, HTTP, identity, text, language models."""
