"""The words of questions that say little about the answer, in English; other languages have none."""

from instep.platform.text.terms import stop_words

CONFIG = "english"

# In addition to the stop words of PostgreSQL.
STOP_WORDS = stop_words("search_query")
