"""Limits of what articles, collections, changelog entries, drafts and tasks hold, and of their history."""

from datetime import timedelta

# Articles, collections, changelog entries and tasks: the maximum length of their fields.
MAX_TITLE_CHARACTERS = 200
MAX_CONTENT_CHARACTERS = 1_000_000
MAX_DESCRIPTION_CHARACTERS = 500
MAX_SLUG_CHARACTERS = 120
MAX_REASON_CHARACTERS = 2_000
MAX_SOURCE_URL_CHARACTERS = 2_000
MAX_NAME_CHARACTERS = 200
# The refusal `bot_required` lists at most this many of the bots to choose from.
MAX_BOTS_NAMED = 10
MAX_ICON_CHARACTERS = 16
MAX_CHANGE_BODY_CHARACTERS = 100_000
MAX_INSTRUCTIONS_CHARACTERS = 100_000
MAX_DIFF_CHARACTERS = 10_000_000
# The context of a change, for a language model: linked issues and parts of code files, with their characters.
MAX_LINKED_ISSUES = 5
MAX_ISSUE_CHARACTERS = 20_000
MAX_CODE_EXCERPTS = 100
MAX_CODE_EXCERPT_CHARACTERS = 20_000
MAX_CODE_PATH_CHARACTERS = 10_000
# Files whose code a client reads for it, their size in bytes, and the characters of all that it sends.
MAX_CONTEXT_FILES = 20
MAX_CONTEXT_CHARACTERS = 200_000
MAX_CONTEXT_FILE_BYTES = 2 * 1024 * 1024
MAX_VERSION_CHARACTERS = 40
# Counts and positions of rows are PostgreSQL's `integer`: at most 2^31 - 1.
MAX_INTEGER = 2_147_483_647

# Articles: history, former addresses and collections.
# Revisions kept per article.
MAX_REVISIONS = 50
DELETED_ARTICLE_RETENTION = timedelta(days=30)
# Redirects of one bot; characters and segments of the path of one, and characters of addresses in a request.
MAX_REDIRECTS = 10_000
MAX_REDIRECT_PATH_CHARACTERS = 500
MAX_REDIRECT_SEGMENTS = 20
MAX_REDIRECT_URL_CHARACTERS = 2_000
# Redirects followed from one address; longer chains are not found.
MAX_REDIRECT_HOPS = 5
# Levels of nested collections.
MAX_COLLECTION_LEVELS = 3

# Freshness of published articles: a text that nothing has verified for this long is stale.
STALE_AFTER = timedelta(days=180)
# A check this long before an article's "look again by" date still counts for that date.
REVIEW_WINDOW = timedelta(days=30)
# Readers who must call a text outdated, since it was written or verified, before it needs a check.
OUTDATED_READERS = 2

# Drafts, and the releases that they wait for.
# Warnings in the header `Instep-Warnings`.
MAX_WARNINGS = 10
# Lines that a warning about an overwrite quotes, and characters of each line.
MAX_REPORTED_OVERWRITTEN_LINES = 3
MAX_REPORTED_OVERWRITTEN_LINE_CHARACTERS = 60
# Conflicts of a draft that are decided one by one, each with two form fields; more become one conflict.
MAX_CONFLICTS = 20
# Other drafts of the same article that a draft lists by id.
MAX_REPORTED_OTHER_DRAFTS = 5
# Newest pending edits of a bot that a change is compared with.
MAX_COMPARED_DRAFTS = 200
# Hunks of a diff that a caller can select.
MAX_HUNKS = 10_000
# Drafts of one source on a page of the review queue, and in one call that applies them.
MAX_SOURCE_DRAFTS = 100
# How long a person counts as viewing a draft after their last activity.
DRAFT_VIEWER_TTL = timedelta(seconds=15)
# Commits of a range that `instep release` reads.
MAX_RELEASE_COMMITS = 10_000
# URLs in one release, and tasks in one release.
MAX_RELEASE_SOURCES = 1_000

# Idempotency keys of tasks.
MAX_IDEMPOTENCY_KEY_CHARACTERS = 255
IDEMPOTENCY_RETENTION_HOURS = 24

# Markdown: texts that would take more than linear time to render are refused.
MAX_RENDER_SECONDS = 2
# Syntax highlighting: characters of one block and of one text, consecutive spaces, and the time for one text.
# Longer code is not highlighted. The last limit is for code that is highlighted in the serving process.
MAX_CODE_BLOCK_CHARACTERS = 20_000
MAX_TEXT_CODE_CHARACTERS = 200_000
MAX_CODE_BLANKS = 100
MAX_COLORING_SECONDS = 2
MAX_INLINE_CODE_CHARACTERS = 1_000
# Nesting levels of quotes, lists and footnotes.
MAX_NESTING_LEVELS = 30
# Counts in one text.
MAX_LIST_ITEMS = 50_000
MAX_HEADINGS = 10_000
MAX_EQUAL_HEADINGS = 1_000
MAX_TABLE_COLUMNS = 500
# Directives in one text, and directives within each other; further ones stay text.
MAX_DIRECTIVES = 1_000
MAX_DIRECTIVE_LEVELS = 10
# Formulas: characters of one, and of all in one text; longer ones are shown as they are written.
MAX_FORMULA_CHARACTERS = 1_000
MAX_FORMULAS_CHARACTERS = 20_000
MAX_TABLE_CELLS = 50_000
MAX_FOOTNOTE_MARKS = 10_000
MAX_AMPERSANDS = 20_000
# `@` characters in one line, and closing parentheses in one autolink.
MAX_LINE_ADDRESSES = 1_000
MAX_LINK_PARENTHESES = 2_000
# HTML tags in Markdown: tags that are open at the same time, and attributes of one tag.
MAX_OPEN_TAGS = 200
MAX_ATTRIBUTES = 100

# Earlier texts of one draft; the first is always kept.
MAX_DRAFT_VERSIONS = 50
MAX_THREAD_COMMENT_CHARACTERS = 5_000
# Earlier texts of a comment, all of which are kept.
MAX_COMMENT_EDITS = 20
# The words of a text that a comment is about.
MAX_BLOCK_CHARACTERS = 500
# Labels of a pull request that are read, and the characters of each.
MAX_LABELS = 100
MAX_LABEL_CHARACTERS = 255
# Days until people are reminded of what waits for them, and until an unchanged draft expires. The expiry is
# announced before.
MIN_REMINDER_DAYS = 1
MIN_EXPIRY_DAYS = 14
MAX_FOLLOW_UP_DAYS = 365
EXPIRY_WARNING_DAYS = 7
# Rules of one bot about who is asked for reviews.
MAX_ASSIGNMENT_RULES = 200
# People whom one comment notifies by name.
MAX_MENTIONS = 20

# Style: rules, and the characters of each part of one.
MAX_STYLE_RULES = 50
MAX_STYLE_RULE_CHARACTERS = 300
# Terms of a glossary, the words that one of them replaces, words to avoid, and the characters of each.
MAX_GLOSSARY_TERMS = 1_000
MAX_TERM_VARIANTS = 20
MAX_AVOIDED_WORDS = 2_000
MAX_GLOSSARY_TERM_CHARACTERS = 60
# The bounds of the longest sentence that a style allows.
MIN_SENTENCE_LIMIT_WORDS = 8
MAX_SENTENCE_LIMIT_WORDS = 100
# Violations that one check of a text returns.
MAX_STYLE_VIOLATIONS = 200
# The part of a prompt for a language model with the style.
MAX_STYLE_PROMPT_CHARACTERS = 12_000
# A longer text is checked in another process, which has this much time.
MAX_INLINE_STYLE_CHARACTERS = 10_000
MAX_STYLE_CHECK_SECONDS = 5
# The form with words to avoid.
MAX_STYLE_FORM_BYTES = 2 * 1024 * 1024
# A file with a style or with a rule of Vale, and how many of these a folder may have.
MAX_STYLE_FILE_BYTES = 1024 * 1024
MAX_VALE_FILES = 500
# Articles that one bulk change may change, and how long it can be undone.
MAX_BULK_ARTICLES = 200
BULK_UNDO_TTL = timedelta(days=1)
# Find and replace: the sought words, the articles that get a draft at once, and characters of their texts.
MAX_SOUGHT_CHARACTERS = 200
MAX_REPLACED_ARTICLES = 100
MAX_REPLACED_PARTS = 50
MAX_REPLACED_CHARACTERS = 1_000_000
# Parts and variables: texts of one bot in all languages, their characters, and parts inside parts.
MAX_PARTS = 500
MAX_PART_CHARACTERS = 20_000
MAX_VARIABLE_CHARACTERS = 500
MAX_PART_LEVELS = 5
# Showing a changed part in all parts with it: with more references it runs in a child process, for so long.
MAX_INLINE_REFERENCES = 100
MAX_PARTS_SECONDS = 5
# Earlier texts of a part that are kept.
MAX_PART_VERSIONS = 20
# Articles that the page of a part names.
MAX_USES_SHOWN = 200
# Versions of the product of one bot, characters of a version's name and of its slug, its branch patterns, and
# characters of a branch name or pattern.
MAX_PRODUCT_VERSIONS = 50
MAX_VERSION_NAME_CHARACTERS = 50
MAX_VERSION_BRANCHES = 20
MAX_BRANCH_CHARACTERS = 250
