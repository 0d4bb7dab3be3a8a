"""Search by meaning: chunks of articles, their embeddings, and the nearest to a question."""
