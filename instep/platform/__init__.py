"""Code that knows nothing of the product: database, jobs, HTTP, identity, text, language models."""
