"""Limits of imports, of the sync with git, of files and of backups."""

from datetime import timedelta

# Imports from the APIs of other products.
# One answer with its headers, all answers of one import together, and the number of requests.
MAX_IMPORT_RESPONSE_BYTES = 32 * 1024 * 1024
MAX_IMPORT_FETCHED_BYTES = 4 * 1024 * 1024 * 1024
MAX_IMPORT_REQUESTS = 100_000
IMPORT_REQUEST_SECONDS = 60
# One image or download, those fetched at the same time, and redirects that lead to one.
MAX_FETCHED_FILE_BYTES = 21 * 1024 * 1024
MAX_CONCURRENT_IMPORT_FETCHES = 4
MAX_IMPORT_FILE_REDIRECTS = 3
# Repetitions of a request after a rate limit or a fault of the API, and the waits before them together.
MAX_IMPORT_RETRIES = 5
MAX_IMPORT_WAIT_SECONDS = 300.0

# Imports: what a source holds, in files and bytes; levels of archives in archives; bytes that one byte
# of a compressed file may become.
MAX_IMPORT_ENTRIES = 20_000
MAX_IMPORT_UNPACKED_BYTES = 2 * 1024 * 1024 * 1024
MAX_IMPORT_FILE_BYTES = 256 * 1024 * 1024
MAX_IMPORT_ARCHIVE_DEPTH = 2
MAX_IMPORT_COMPRESSION_RATIO = 200
MAX_IMPORT_PATH_CHARACTERS = 1_000
# An archive that a browser sends, with its form, and one that is fetched by its address.
MAX_IMPORT_ARCHIVE_BYTES = 100 * 1024 * 1024
MAX_IMPORT_FORM_BYTES = MAX_IMPORT_ARCHIVE_BYTES + 16 * 1024
MAX_IMPORT_DOWNLOAD_BYTES = 512 * 1024 * 1024
IMPORT_FETCH_SECONDS = 300
# Processor time for reading a source and planning its import.
MAX_IMPORT_SECONDS = 120
# Values of a settings file or front matter that is imported, each YAML alias counted with what it repeats.
MAX_IMPORT_SETTINGS_VALUES = 100_000
# Values of the expressions in one page with components; those beyond it are unknown.
MAX_IMPORT_PAGE_VALUES = 20_000
# A description of an API in OpenAPI, of which pages without a text get their words.
MAX_OPENAPI_BYTES = 10 * 1024 * 1024
# YAML: lists and mappings within each other, and aliases. Characters of the front matter of a page that is
# synced, and the processor time for that of all pages of a sync.
MAX_YAML_DEPTH = 100
MAX_YAML_ALIASES = 1_000
MAX_FRONT_MATTER_CHARACTERS = 16_000
MAX_FRONT_MATTER_SECONDS = 15
# Processor time for finding the links of all pages of a sync.
MAX_LINKS_SECONDS = 30
# Blocks of HTML around each other in a page that is imported; the tags of deeper ones are left out.
MAX_IMPORT_HTML_LEVELS = 50
# Bytes that the template language of an imported page may write, and how often its loops may run.
MAX_IMPORT_TEMPLATE_BYTES = 2_000_000
MAX_IMPORT_TEMPLATE_STEPS = 100_000
# Articles, and redirects, of one transaction; files that are stored at the same time.
IMPORT_BATCH_ARTICLES = 25
IMPORT_BATCH_REDIRECTS = 500
IMPORT_CONCURRENT_FILES = 4
# Files of one transaction, and their bytes together.
IMPORT_BATCH_FILES = 40
IMPORT_BATCH_FILE_BYTES = 8 * 1024 * 1024
# Characters of a text by which a page that the source has elsewhere now is recognized.
MAX_COMPARED_CHARACTERS = 4_000
# Characters of the address at which a source was served.
MAX_IMPORT_SITE_CHARACTERS = 500
# Losses of one import that its page names; the command names all.
MAX_SHOWN_LOSSES = 500
# Former imports that the page lists; what an import has left behind is removed after this time.
MAX_SHOWN_IMPORTS = 20
IMPORT_RETENTION = timedelta(days=90)

# Sync of a folder with git: its Markdown files, and as many pictures and renames; and one request with them.
MAX_SYNC_FILES = 5_000
MAX_SYNC_PATH_CHARACTERS = 500
MAX_SYNC_BODY_BYTES = 32 * 1024 * 1024
# How often pages are tried again that need what another page of the same sync gives up or makes.
MAX_SYNC_ROUNDS = 10

# Files: images and downloads of articles.
# One file as it is sent, and the files of one bot together.
MAX_FILE_BYTES = 20 * 1024 * 1024
# A logo as SVG: its size, its elements, and how deep they are nested.
MAX_SVG_BYTES = 256 * 1024
MAX_SVG_ELEMENTS = 2_000
MAX_SVG_LEVELS = 30
# A logo's clips and masks, each counted as often as an element uses it.
MAX_SVG_CLIPPED_BYTES = 2 * 1024 * 1024
MAX_BOT_FILES_BYTES = 5 * 1024 * 1024 * 1024
MAX_FILE_NAME_CHARACTERS = 200
# Width times height of one picture.
MAX_PICTURE_PIXELS = 40_000_000
# The same of one AVIF picture, which is encoded again.
MAX_AVIF_PIXELS = 12_000_000
# Processor time for reading one file.
MAX_FILE_SECONDS = 5
# Uploads of one workspace that wait in one process to be read; each is in memory while it waits.
MAX_WAITING_UPLOADS = 60
# A file is removed when no text has referred to it for this long.
UNREFERENCED_FILE_RETENTION = timedelta(days=30)
# Articles and entries that the refusal `file_in_use` names.
MAX_FILE_USES_NAMED = 5

# Backups: parts of one, and bytes of the list of them and of the manifest.
MAX_BACKUP_PARTS = 1_000
MAX_BACKUP_DIRECTORY_BYTES = 1024 * 1024
# Scheduled backups: the time between two, and the age at which the last one counts as too old.
BACKUP_INTERVAL_HOURS = 24
MAX_BACKUP_AGE_HOURS = 50
# The file that repeats an erasure after a restore, in bytes.
MAX_ERASURE_MARK_BYTES = 1024 * 1024
# The wait after a scheduled backup that has failed.
BACKUP_RETRY_MINUTES = 60
