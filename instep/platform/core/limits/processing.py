"""Limits of expensive work: the writer, its processes, and language models."""

from datetime import timedelta

# Expensive work: diffs, the writer, and the processes that they run in.
MAX_DIFF_SECONDS = 2
# Runs of removed, added or kept words that a page marks; with more, the whole texts are marked.
MAX_MARKED_RUNS = 5_000
# Interval at which a task of a paused workspace is retried.
PAUSED_TASK_RETRY_DELAY = timedelta(seconds=30)
# A bot's changes are read in turn: each one starts the next when it ends. If that fails, a waiting change
# checks again after this time.
TASK_TURN_RETRY_DELAY = timedelta(seconds=30)
# A task is given up after this many attempts, about 45 seconds after the first, as later changes wait for it.
MAX_TASK_ATTEMPTS = 4
# An earlier task that has not ended after this long is not waited for.
MAX_TASK_TURN_DELAY = timedelta(hours=1)
# A request waits while its diff is parsed, so this has less time than the writer.
MAX_DIFF_PARSE_SECONDS = 10
MAX_WRITER_SECONDS = 60
# Articles that the writer reads for one change: in a larger bot, the most relevant ones. With 7,000
# characters each, reading them for the first time takes 240 MB and 15 seconds, well within its limits.
MAX_WRITER_ARTICLES = 2_000
# Longer texts, and diffs with a longer line, are processed in a child process that can be killed.
MAX_INLINE_CHARACTERS = 64_000
INLINE_LINE_CHARACTERS = 4_000
# Memory of one piece of work in a sandbox process, in addition to what the process had before.
MAX_WORK_MEMORY_BYTES = 640 * 1024 * 1024
# Expensive work that one workspace may queue in one process, and the value of `Retry-After` beyond that.
MAX_WAITING_WORK_PIECES = 20
WORK_RETRY_SECONDS = 5
# Concurrent jobs of one workspace in one worker: half of its slots.
MAX_CONCURRENT_WORKSPACE_JOBS = 5
# A transaction is restarted at most this often, each time after expensive work that it needs.
MAX_RESTARTS = 50

# Language models.
# One completion: size of the response with headers and framing, and tokens.
MAX_COMPLETION_BYTES = 512 * 1024
# The same as server-sent events, which wrap each token in a few hundred bytes.
MAX_STREAM_BYTES = 4 * 1024 * 1024
MAX_COMPLETION_TOKENS = 8_000
# Retries of a prompt after a rate limit or an error of the provider, and the delay before the first.
MAX_MODEL_RETRIES = 2
MODEL_RETRY_SECONDS = 2.0
# A provider that demands a longer wait is not asked again.
MAX_MODEL_RETRY_SECONDS = 20.0
# After this many failures in a row, a provider is not asked for this long, and then one question at a time.
MAX_MODEL_FAILURES = 3
MODEL_PROBE_SECONDS = 30.0
# Fields of an owner's language model: characters of its texts, tokens or money of a budget.
MAX_MODEL_NAME_CHARACTERS = 200
MAX_MODEL_URL_CHARACTERS = 500
MAX_MODEL_KEY_CHARACTERS = 1_000
MAX_MODEL_BUDGET = 1_000_000_000_000
MIN_TASK_TOKENS = 4_000
# Time for an owner's test of a model.
MODEL_TEST_SECONDS = 20
# Edits in one completion.
MAX_MODEL_EDITS = 60
# Newest dismissed statements that a prompt contains.
MAX_DISMISSED_STATEMENTS = 200
# Text that a model rewords in the editor, and the text before and after it.
MAX_REWORDED_TOKENS = 4_000
MAX_REWORDING_CONTEXT_CHARACTERS = 4_000
MAX_REWORDING_NOTE_CHARACTERS = 300
# Newest comments of a thread that a model reads to reword a draft.
MAX_WORDING_COMMENTS = 5
# Blocks that a model translates in one prompt, and the text of the article that it sees with them.
MAX_TRANSLATED_TOKENS = 3_000
MAX_TRANSLATION_CONTEXT_CHARACTERS = 8_000
# Translations are compared this long after their original has changed, so that both can be saved together.
TRANSLATION_DELAY = timedelta(minutes=2)
# Articles that one request has translated, and the longest wait of each for the model.
MAX_ARTICLES_TO_TRANSLATE = 500
MAX_TRANSLATION_DELAY = timedelta(days=7)
MODEL_RETRY_DELAY = timedelta(hours=1)
# Changed parts of an original that the page of a place shows.
MAX_SHOWN_ROOT_CHANGES = 50
# Time to check one completion.
MODEL_CHECK_SECONDS = 20
MODEL_USAGE_RETENTION = timedelta(days=400)

# Drift: the evidence from a checkout that is compared with the articles.
MAX_DRIFT_BODY_BYTES = 32 * 1024 * 1024
# Names in articles, commits per check, lines of a commit that still exist, and findings.
MAX_DRIFT_NAMES = 200_000
MAX_DRIFT_COMMITS = 5_000
MAX_DRIFT_LINES = 20_000
MAX_DRIFT_FINDINGS = 1_000
MAX_DRIFT_NAME_CHARACTERS = 200
MAX_DRIFT_PATH_CHARACTERS = 4_000
MAX_DRIFT_CHECKS_PER_HOUR = 30
# Articles, or parts of long ones, that a language model compares with code for one check.
MAX_DRIFT_READINGS = 500
# The same by default.
DRIFT_READINGS = 20
# Lines of an article that one reading compares; a longer article is read in parts.
MAX_READING_LINES = 400
# Names of such a part, by which its code is found.
MAX_NAMES_OF_READING = 500
# Characters of the diff that is sent for such a part: at most 450 lines of 1,000 characters, and heads.
MAX_ARTICLE_CODE_CHARACTERS = 600_000
