"""Search by meaning, where an embedding model is set up.

`chunks` splits articles into the texts that are embedded; `indexing` embeds what has changed; `vectors` has
the SQL with pgvector; `query_embedder` embeds questions and finds the nearest articles.
"""
