"""Search by meaning, where an embedding model is set up.

`chunks` splits articles into the texts that are embedded; `indexing` embeds what has changed; `vectors` has
the SQL; `vector_index` compares the vectors of a bot, which `vector_cache` keeps; `query_embedder` embeds
questions and finds the nearest articles.
"""
