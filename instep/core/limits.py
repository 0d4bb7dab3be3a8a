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
DIFF = 10_000_000
INTEGER = 2_147_483_647

BODY_BYTES = 2 * 1024 * 1024
TASK_BODY_BYTES = 12 * 1024 * 1024

PAGE_SIZE = 20
PAGE_SIZE_MOST = 100
REVISIONS_KEPT = 50

IDEMPOTENCY_KEY = 255
IDEMPOTENCY_HOURS = 24

ANONYMOUS_REQUESTS = 60
REQUEST_WINDOW_SECONDS = 60
TASK_WINDOW_SECONDS = 3_600

RENDER_SECONDS = 2
DIFF_SECONDS = 2
# How soon a task of a paused workspace looks again.
PAUSED_TASK_WAIT = timedelta(seconds=30)
# While a request waits for it, so shorter than the writer may take afterwards.
READ_DIFF_SECONDS = 10
WRITER_SECONDS = 60
# Above this size text is rendered and compared in a process that can be killed.
INLINE_CHARACTERS = 64_000
