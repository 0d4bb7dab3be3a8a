"""Limits of lists, of search and of embeddings."""

# Lists and search; page sizes are rows.
DEFAULT_PAGE_SIZE = 20
MAX_PAGE_SIZE = 100
MIN_QUERY_CHARACTERS = 2
MAX_QUERY_CHARACTERS = 500
# Memory of one process for search indexes and for the vectors of articles, each for small and for large bots.
# The next search loads an evicted one again, within a millisecond if it is small: 1,000 bots of 100 articles
# fit into a process of 400 MB.
MAX_SMALL_INDEX_CACHE_BYTES = 40 * 1024 * 1024
MAX_INDEX_CACHE_BYTES = 192 * 1024 * 1024
MAX_SMALL_VECTOR_CACHE_BYTES = 20 * 1024 * 1024
MAX_VECTOR_CACHE_BYTES = 96 * 1024 * 1024
# An index, or the vectors of a bot, of this size or more counts as large, and is stored in a file that
# processes share. Each file needs an open descriptor: with the caches above, at most 96 and 48 in a process.
# The usual limit is 1,024, of which connections use 768.
LARGE_INDEX_BYTES = 2 * 1024 * 1024
# Requests of one process that wait until an index is loaded for the first time; further ones wait this long.
MAX_INDEX_WAITERS = 3
INDEX_WAIT_SECONDS = 1.0
# Articles whose texts are checked for a quoted phrase.
MAX_PHRASE_CHECKS = 300
# Search and embeddings cover this much of an article.
MAX_INDEXED_CHARACTERS = 250_000
MAX_INDEXED_PASSAGES = 600
# Articles that are ranked as the nearest ones, even if a caller requests fewer.
MAX_NEAREST_ARTICLES_RETRIEVED = 10
# Synonyms of one bot: groups, terms of one group, and characters of one term.
MAX_SYNONYM_GROUPS = 200
MAX_SYNONYMS_PER_GROUP = 20
MAX_SYNONYM_CHARACTERS = 60
# Passages that a search returns at most, over all its pages.
MAX_PASSAGES_LISTED = 50
# The excerpt of a search result is taken from this much of the rendered text.
MAX_EXCERPT_SOURCE_CHARACTERS = 100_000

# Embeddings.
# Size of an endpoint's response, dimensions of a vector, and time of one batch.
MAX_EMBEDDINGS_BYTES = 16 * 1024 * 1024
MAX_VECTOR_DIMENSIONS = 4_000
EMBEDDING_SECONDS = 60.0
# A search waits this long for its query's vector; after a failure the circuit breaker is open for this long.
QUERY_EMBEDDING_SECONDS = 1.5
EMBEDDING_BREAKER_SECONDS = 30.0
MAX_CACHED_QUERY_EMBEDDINGS = 2_000
MAX_CONCURRENT_QUERY_EMBEDDINGS = 3
# Text of one vector: about 120 English words, or 240 Chinese characters.
CHUNK_BYTES = 720
# Plain texts of articles and passages that each process keeps, in characters together with their sources.
MAX_CACHED_TEXT_CHARACTERS = 6_000_000
# Semantic hits in a cursor.
MAX_SEMANTIC_HITS = 30
# `instep doctor` reports a problem when changes have waited longer than this for their vectors.
MAX_EMBEDDING_LAG_SECONDS = 900
