"""Limits of MCP tools, and of the commands that call the API of a server."""

# MCP tools.
# The result of a tool call is about 4,000 tokens; a text in it is returned in pages of about 3,000 tokens.
MAX_TOOL_RESULT_BYTES = 16_000
MAX_TOOL_TEXT_BYTES = 12_000
# The rest of such a result, for example the evidence of an edit, or the articles that a task has reviewed.
MAX_TOOL_CONTEXT_BYTES = 3_000
DEFAULT_TOOL_ROWS = 10
MAX_TOOL_ROWS = 50
TOOL_EXCERPT_CHARACTERS = 300
# Problems per article in lists; `check_articles` returns all of them.
MAX_TOOL_PROBLEMS = 5
# How long clients may cache the list of tools.
TOOLS_CACHE_SECONDS = 60
# How long clients may cache the public documents about the servers.
DISCOVERY_CACHE_SECONDS = 3_600
# Articles and terms in one call of `check_articles`.
MAX_CHECKED_ARTICLES = 100
MAX_CHECKED_TERMS = 20
MIN_TERM_CHARACTERS = 2

# The commands `instep change` and `instep draft`.
# Time for one run of git, and for one API request.
GIT_SECONDS = 120
API_CALL_SECONDS = 60
# A comment on a pull request, in characters (GitHub accepts 65,536); drafts in it; lines and characters of an
# excerpt; and how many pages of comments are searched for an earlier one.
MAX_COMMENT_CHARACTERS = 60_000
MAX_COMMENTED_DRAFTS = 20
MAX_COMMENT_EXCERPT_LINES = 8
MAX_COMMENT_EXCERPT_CHARACTERS = 1_200
MAX_COMMENT_PAGES = 30
# Files that `instep check` reads at once.
MAX_CHECKED_FILES = 20_000
# Changes of the history that one run of `instep change` sends; a file of them that is merged with the code of
# today, in bytes; and the last tasks from which a dry run estimates the tokens.
MAX_BACKFILL_CHANGES = 1_000
MAX_MERGED_FILE_BYTES = 4 * 1024 * 1024
MAX_ESTIMATING_TASKS = 20
# Caches may keep `instep.pyz` and its digest for this long.
THIN_CLIENT_CACHE_SECONDS = 300
# The largest response that the client reads, in bytes.
MAX_API_RESPONSE_BYTES = 128 * 1024 * 1024
# How long a request is retried while the server is unreachable or busy, and the longest pause.
API_RETRY_SECONDS = 90
MAX_API_RETRY_PAUSE_SECONDS = 15
# `instep draft` retries for less time, because a person waits at the terminal.
REVIEW_RETRY_SECONDS = 5
# The polling interval of a task grows from the first to the second; waiting ends after the third.
MIN_POLL_SECONDS = 0.5
MAX_POLL_SECONDS = 10.0
TASK_WAIT_SECONDS = 300
# Limits of the report: drafts; diff lines per draft; characters per line; skipped files named.
MAX_REPORTED_DRAFTS = 50
# Places of a task that a run lists.
MAX_REPORTED_PLACES = 100
MAX_REPORTED_DIFF_LINES = 60
MAX_REPORTED_LINE_CHARACTERS = 300
MAX_REPORTED_SKIPPED_FILES = 20
# GitHub accepts a step summary of one megabyte.
MAX_SUMMARY_BYTES = 900_000

# The command `instep drift`.
# Code files that it reads; larger ones are data.
MAX_DRIFT_FILE_BYTES = 1024 * 1024
# Time for git to print the history, which is streamed.
DRIFT_HISTORY_SECONDS = 900
# Newest commits checked for each name that the code no longer has.
MAX_DRIFT_COMMITS_PER_NAME = 3
# Characters of the history that it sends: those of one commit, and of all, the newest first.
MAX_DRIFT_COMMIT_CHARACTERS = 400_000
MAX_DRIFT_CHARACTERS = 4_000_000
# Renamed and deleted files that articles link to.
MAX_DRIFT_MOVES = 5_000
# Lines of code that a language model gets with an article.
MAX_ARTICLE_CODE_LINES = 300
# Lines of past changes that it gets in addition.
MAX_ARTICLE_PAST_LINES = 150
