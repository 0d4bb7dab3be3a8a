"""Every limit of the product, by name (contract sections 2 and 7)."""

from datetime import timedelta

TITLE = 200
CONTENT = 1_000_000
DESCRIPTION = 500
SLUG = 120
REASON = 2_000
SOURCE_URL = 2_000
NAME = 200
ICON = 16
CHANGE_BODY = 100_000
INSTRUCTIONS = 100_000
DIFF = 10_000_000
INTEGER = 2_147_483_647

# The request line and the headers together.
HEAD_BYTES = 64 * 1024
BODY_BYTES = 2 * 1024 * 1024
TASK_BODY_BYTES = 12 * 1024 * 1024

PAGE_SIZE = 20
PAGE_SIZE_MOST = 100
SEARCH_SHORTEST = 2
SEARCH_LONGEST = 500
# The excerpt of a search result comes from so much of the rendered text.
EXCERPT_READS = 100_000
REVISIONS_KEPT = 50
DELETED_ARTICLES_KEPT = timedelta(days=30)
# Of the changelog's page and of its feed; a longer text is left to the page of its entry.
CHANGELOG_ENTRIES = 20
CHANGELOG_INLINE_CHARACTERS = 50_000
# As many as the protocol of sitemaps allows in one file.
SITEMAP_URLS = 50_000

WEBHOOK_URL = 2_000
# Of one workspace.
WEBHOOK_ENDPOINTS = 20
# Of one endpoint: the present one and those that were replaced and still sign.
WEBHOOK_SECRETS = 10
REPLACED_SECRET_SIGNS = timedelta(hours=24)

IDEMPOTENCY_KEY = 255
IDEMPOTENCY_HOURS = 24

REQUEST_WINDOW_SECONDS = 60
TASK_WINDOW_SECONDS = 3_600

QUESTION = 2_000
QUESTION_EXAMPLES = 5
# Of a word of a question, as far as it is compared.
TERM = 100
NEAREST_ARTICLES = 5
# How long it is remembered that somebody asked a question, as counted from when it was asked.
ASKINGS_KEPT = timedelta(days=180)
# The share of their terms that two questions of the same meaning have in common.
SAME_QUESTION = 0.66
# Of one code in one article: what is told of it, and what counts for its score.
PROBLEMS_OF_A_CODE = 20
PROBLEMS_COUNTED = 3
# In characters without blanks; a sign of a script without blanks counts as three.
SHORT_TEXT = 100
TEXT_WITHOUT_HEADINGS = 3_000
LINKS_CHECKED = 500
# Shorter texts are not compared; two that share as much of theirs say nearly the same.
WORDS_COMPARED = 40
SAME_TEXT = 0.8
EDIT_WAITS = timedelta(days=14)
READ_TEXTS_CHARACTERS = 300_000
READ_TEXTS_SECONDS = 6
# While a request holds a connection, so neither long nor by many at once in one process.
EXAMINING_SECONDS = 20
EXAMINING_AT_ONCE = 2
EXAMINING_RETRY_SECONDS = 5
# What a process remembers of articles that it has examined: bytes, about, and problems found.
READINGS_REMEMBERED = 30_000_000
PROBLEMS_REMEMBERED = 50_000

RENDER_SECONDS = 2
DIFF_SECONDS = 2
# How soon a task of a paused workspace looks again.
PAUSED_TASK_WAIT = timedelta(seconds=30)
# While a request waits for it, so shorter than the writer may take afterwards.
READ_DIFF_SECONDS = 10
WRITER_SECONDS = 60
# Above this size text is rendered and compared in a process that can be killed.
INLINE_CHARACTERS = 64_000
