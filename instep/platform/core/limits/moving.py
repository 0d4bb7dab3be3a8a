"""Limits of imports, of the sync with git, of files and of backups."""

from datetime import timedelta

# Imports from the APIs of other products.
# One answer with its headers, all answers of one import together, and the number of requests.
MAX_IMPORT_RESPONSE_BYTES = 32 * 1024 * 1024
MAX_IMPORT_FETCHED_BYTES = 4 * 1024 * 1024 * 1024
MAX_IMPORT_REQUESTS = 100_000
IMPORT_REQUEST_SECONDS = 60
# Size of an image or download, concurrent fetches, and redirects followed for each.
MAX_FETCHED_FILE_BYTES = 21 * 1024 * 1024
MAX_CONCURRENT_IMPORT_FETCHES = 4
MAX_IMPORT_FILE_REDIRECTS = 3
# Retries of a request after a rate limit or an error of the API, and the total wait before them.
MAX_IMPORT_RETRIES = 5
MAX_IMPORT_WAIT_SECONDS = 300.0

# Imports: files of a source and their bytes; levels of archives in archives; bytes that one byte of a
# compressed file may become.
MAX_IMPORT_ENTRIES = 20_000
MAX_IMPORT_UNPACKED_BYTES = 2 * 1024 * 1024 * 1024
MAX_IMPORT_FILE_BYTES = 256 * 1024 * 1024
MAX_IMPORT_ARCHIVE_DEPTH = 2
MAX_IMPORT_COMPRESSION_RATIO = 200
MAX_IMPORT_PATH_CHARACTERS = 1_000
# An uploaded archive, its form, and an archive fetched from a URL.
MAX_IMPORT_ARCHIVE_BYTES = 100 * 1024 * 1024
MAX_IMPORT_FORM_BYTES = MAX_IMPORT_ARCHIVE_BYTES + 16 * 1024
MAX_IMPORT_DOWNLOAD_BYTES = 512 * 1024 * 1024
IMPORT_FETCH_SECONDS = 300
# Processor time for reading a source and planning its import.
MAX_IMPORT_SECONDS = 120
# Values of an imported settings file or front matter; a YAML alias counts with everything it repeats.
MAX_IMPORT_SETTINGS_VALUES = 100_000
# Values of expressions in one page with components; further ones are unknown.
MAX_IMPORT_PAGE_VALUES = 20_000
# An OpenAPI document, in bytes and in operations, each of which becomes a page; and the addresses of such
# documents that a help center follows.
MAX_OPENAPI_BYTES = 10 * 1024 * 1024
MAX_API_OPERATIONS = 3_000
MAX_API_REFERENCES = 20
# The operations that are compared with the next version of a followed document.
MAX_API_SETTINGS_CHARACTERS = 5_000_000
# Nesting levels and aliases in YAML; characters of a synced page's front matter, and processor time for the
# front matter of all pages of a sync.
MAX_YAML_DEPTH = 100
MAX_YAML_ALIASES = 1_000
MAX_FRONT_MATTER_CHARACTERS = 16_000
MAX_FRONT_MATTER_SECONDS = 15
# Processor time for finding the links of all pages of a sync.
MAX_LINKS_SECONDS = 30
# Nesting levels of HTML in an imported page; the tags of deeper blocks are left out.
MAX_IMPORT_HTML_LEVELS = 50
# Output in bytes and loop iterations of an imported page's template language.
MAX_IMPORT_TEMPLATE_BYTES = 2_000_000
MAX_IMPORT_TEMPLATE_STEPS = 100_000
# Articles and redirects per transaction, and files stored concurrently.
IMPORT_BATCH_ARTICLES = 25
IMPORT_BATCH_REDIRECTS = 500
IMPORT_CONCURRENT_FILES = 4
# Files per transaction, and their total size.
IMPORT_BATCH_FILES = 40
IMPORT_BATCH_FILE_BYTES = 8 * 1024 * 1024
# Characters of a text that are compared to recognize a moved page.
MAX_COMPARED_CHARACTERS = 4_000
# Characters of a source's site address.
MAX_IMPORT_SITE_CHARACTERS = 500
# Losses of one import that its page lists; the command lists all.
MAX_SHOWN_LOSSES = 500
# Previous imports that the page lists, and how long an import's data is kept.
MAX_SHOWN_IMPORTS = 20
IMPORT_RETENTION = timedelta(days=90)

# Sync of a folder with git: its Markdown files, and as many pictures and renames; and one request with them.
MAX_SYNC_FILES = 5_000
MAX_SYNC_PATH_CHARACTERS = 500
MAX_SYNC_BODY_BYTES = 32 * 1024 * 1024
# How often pages are retried that depend on another page of the same sync.
MAX_SYNC_ROUNDS = 10

# Files: images and downloads of articles.
# One uploaded file, and all files of one bot.
MAX_FILE_BYTES = 20 * 1024 * 1024
# An SVG logo: its size, elements and nesting levels.
MAX_SVG_BYTES = 256 * 1024
MAX_SVG_ELEMENTS = 2_000
MAX_SVG_LEVELS = 30
# A logo's clips and masks, each counted as often as an element uses it.
MAX_SVG_CLIPPED_BYTES = 2 * 1024 * 1024
MAX_BOT_FILES_BYTES = 5 * 1024 * 1024 * 1024
MAX_FILE_NAME_CHARACTERS = 200
# Width times height of one picture.
MAX_PICTURE_PIXELS = 40_000_000
# The same for an AVIF picture, which is encoded again.
MAX_AVIF_PIXELS = 12_000_000
# Processor time for reading one file.
MAX_FILE_SECONDS = 5
# Uploads of one workspace that wait in one process, each in memory.
MAX_WAITING_UPLOADS = 60
# A file is removed when no text has referred to it for this long.
UNREFERENCED_FILE_RETENTION = timedelta(days=30)
# Articles and entries listed in the error `file_in_use`.
MAX_FILE_USES_NAMED = 5

# Backups: parts of one, and bytes of the list of them and of the manifest.
MAX_BACKUP_PARTS = 1_000
MAX_BACKUP_DIRECTORY_BYTES = 1024 * 1024
# Scheduled backups: the time between two, and the age at which the last one counts as too old.
BACKUP_INTERVAL_HOURS = 24
MAX_BACKUP_AGE_HOURS = 50
# The file with which a restore repeats an erasure, in bytes.
MAX_ERASURE_MARK_BYTES = 1024 * 1024
# The wait after a failed scheduled backup.
BACKUP_RETRY_MINUTES = 60

# Repositories: code hosts of a workspace, and repositories of a bot.
MAX_CODE_HOSTS = 20
MAX_REPOSITORIES = 50
MAX_REPOSITORY_PATHS = 50
MAX_REPOSITORY_PATH_CHARACTERS = 200
MAX_REPOSITORY_NAME_CHARACTERS = 300
MAX_CODE_HOST_TOKEN_CHARACTERS = 4_000
# A delivery of a code host's webhook.
MAX_HOOK_BODY_BYTES = 4 * 1024 * 1024
# One answer of a code host's API, and the time for it; redirects that lead to one.
MAX_CODE_HOST_RESPONSE_BYTES = 32 * 1024 * 1024
CODE_HOST_REQUEST_SECONDS = 60
MAX_CODE_HOST_REDIRECTS = 3
# Answers with an ETag that a process keeps, so that the host need not send them again: one, and all together.
MAX_KEPT_RESPONSE_BYTES = 4 * 1024 * 1024
MAX_KEPT_RESPONSES_BYTES = 32 * 1024 * 1024
# Pages of a list that are read, of 100 rows each.
MAX_CODE_HOST_PAGES = 40
# Files of a pull request whose contents are compared, because the host gives no patch for them.
MAX_COMPARED_FILES = 20
# Time for reading the issues and the code around a pull request.
CHANGE_CONTEXT_SECONDS = 120
# Waits that a code host may ask for after a rate limit, and the wait if it names none.
MAX_CODE_HOST_DELAY = timedelta(hours=1)
CODE_HOST_DELAY = timedelta(minutes=1)
# The time between two polls of a repository, and the time before the previous poll that a poll covers again.
REPOSITORY_POLL_DELAY = timedelta(minutes=10)
REPOSITORY_POLL_WINDOW = timedelta(minutes=15)
MAX_REPOSITORIES_POLLED_AT_ONCE = 100
# Pull requests with drafts for a release that one look at the releases considers.
MAX_RELEASE_PULLS = 100
# Processor time for choosing the files of a diff.
MAX_FILE_SELECTION_SECONDS = 20
# Review in pull requests: characters of a comment that are read for commands, commands of one comment, and
# comments with commands of one pull request, whose answers could flood it.
MAX_PULL_COMMAND_CHARACTERS = 4_000
MAX_PULL_COMMANDS = 20
MAX_COMMANDED_COMMENTS = 200
# Characters of a command that its answer quotes.
MAX_QUOTED_COMMAND_CHARACTERS = 120
# Characters of a status that code hosts show.
MAX_STATUS_CHARACTERS = 140
# Drafts that a comment numbers, and lines and characters of a diff that it shows in full.
MAX_NUMBERED_DRAFTS = 20
MAX_COMMENTED_DIFF_LINES = 60
MAX_COMMENTED_DIFF_CHARACTERS = 6_000
# The wait for a task or another job of the same pull request, and the longest time that a job holds one.
PULL_REVIEW_DELAY = timedelta(seconds=10)
PULL_REVIEW_TTL = timedelta(minutes=10)
# The time before the previous look at the drafts of a pull request that a look covers again.
PULL_REVIEW_WINDOW = timedelta(minutes=2)
MAX_PULLS_REVIEWED_AT_ONCE = 100
# Clones of repositories, for a check of the articles: bytes of one, with its history; the time for fetching
# it; and the commits between the newest one and the oldest that is read.
MAX_CLONE_BYTES = 1024 * 1024 * 1024
CLONE_SECONDS = 900
MAX_CLONE_COMMITS = 20_000
# Processor time for searching the code and its history for what articles state.
MAX_CLONE_READING_SECONDS = 300
# The time between two checks of a repository, and the wait for another check in the same process.
REPOSITORY_CHECK_DELAY = timedelta(days=7)
CHECK_TURN_DELAY = timedelta(seconds=15)
# A check is given up after this many attempts.
MAX_REPOSITORY_CHECK_ATTEMPTS = 3
# Changes that the page of a repository lists, and how long they are kept.
MAX_SHOWN_REPOSITORY_CHANGES = 50
REPOSITORY_CHANGE_RETENTION = timedelta(days=90)
