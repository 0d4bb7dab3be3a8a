"""Search by meaning, with an embedding model.

`chunks` splits articles into texts for embedding; `indexing` embeds what has changed; `vectors` has
the SQL; `vector_index` compares the vectors of a bot, which `vector_cache` keeps; `query_embedder` embeds
questions and finds the nearest articles.
"""
