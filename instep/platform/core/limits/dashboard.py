"""Limits of forms and of the pages of the dashboard."""

from datetime import timedelta

from instep.platform.core.limits.moving import MAX_FILE_BYTES

# Forms, and the lists and the editor of the dashboard.
# Size and number of fields of a form.
MAX_FORM_BYTES = 16 * 1024
MAX_FORM_FIELDS = 50
# Files in a form, and its size with one file of the largest size.
MAX_FORM_FILES = 3
MAX_FILE_FORM_BYTES = MAX_FILE_BYTES + MAX_FORM_BYTES
# The form of an editor: a text of the maximum length, each byte of which may be sent as three.
MAX_EDITOR_FORM_BYTES = 12 * 1024 * 1024
# Collections to choose from in the editor, and articles suggested for a link.
MAX_COLLECTIONS_OFFERED = 500
MAX_LINKS_OFFERED = 12
MAX_OFFERED_PART_CHARACTERS = 80
# Rows on one page of a list in the dashboard, and of its audit.
DASHBOARD_PAGE_ROWS = 50
AUDIT_PAGE_ROWS = 100
# Terms of the glossary that the settings show at once.
MAX_LISTED_TERMS = 200
# Articles in the command palette.
PALETTE_ROWS = 8
# The dashboard shows this much of a task's diff, and accepts a form of this size.
MAX_SHOWN_DIFF_CHARACTERS = 50_000
MAX_TASK_FORM_BYTES = 4 * 1024 * 1024

# The review pages of the dashboard.
# Drafts on one page of the queue, and articles that a task has looked at on the page of a source.
REVIEW_QUEUE_ROWS = 50
MAX_SHOWN_VERDICTS = 200
# How long a preview link works, and preview links per source.
PREVIEW_TTL = timedelta(days=7)
MAX_PREVIEWS = 20
# How long a digest waits for more drafts, the time between two digests, and sources listed in one.
REVIEW_DIGEST_DELAY = timedelta(minutes=5)
REVIEW_DIGEST_WINDOW = timedelta(hours=1)
MAX_DIGEST_SOURCES = 10
# Text of its section that the page of a place shows.
MAX_SHOWN_SECTION_CHARACTERS = 6_000
# A notice about the last decision with its warnings, which is sent in a cookie.
MAX_NOTICE_CHARACTERS = 600
# How much of a draft is shown: lines of its diff, and blocks of its page. The whole diff is a file.
MAX_SHOWN_DIFF_LINES = 1_000
MAX_SHOWN_BLOCKS = 300
# Changes that can be left out one by one; in a draft with more, all or none are applied.
MAX_SWITCHED_HUNKS = 200
# Larger proposals are compared block by block in a process that can be killed.
MAX_INLINE_PROOF_CHARACTERS = 8_000
MAX_INLINE_PROOF_LINES = 200
# Lines quoted in a note in the margin.
MAX_NOTE_LINES = 12
# The beginning of a change's diff, in which a note looks for the previous version of its line.
MAX_NOTE_DIFF_CHARACTERS = 1_000_000
# The form with a draft's whole text, each byte of which a browser may send as three.
MAX_EDIT_FORM_BYTES = 6 * 1024 * 1024

MAX_SHOWN_COMMENTS = 200
