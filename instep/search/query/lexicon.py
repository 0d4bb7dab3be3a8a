"""English words in questions that say little about the answer; other languages have no such list."""

from instep.platform.text.terms import stop_words

CONFIG = "english"

# In addition to the stop words of PostgreSQL.
STOP_WORDS = stop_words("search_query")
