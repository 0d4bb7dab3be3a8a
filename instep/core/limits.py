"""Limits that a caller, reader or operator can meet (contract sections 2 and 7), by area.

Constants that only tune the code are defined where they are used. Each name or comment says the unit; a count
names its things in the plural; a `timedelta` carries its unit.
"""

from datetime import timedelta

# Articles, collections, changelog entries and tasks: what one field may hold.
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
# PostgreSQL's type `integer` holds counts from 0 to 2^31 - 1.
MAX_INTEGER = 2_147_483_647

# HTTP connections.
# The request line and the header fields together.
MAX_HEAD_BYTES = 64 * 1024
# Requests that a client may send on one connection before it has received earlier responses.
MAX_PIPELINED_REQUESTS = 100
# A request's head must arrive within this time from its first byte, or from the start of the connection.
HEAD_SECONDS = 10.0
# A connection without a request is closed after this time.
KEEP_ALIVE_SECONDS = 15
# Minimum average rate of a request body after a grace period.
MIN_BODY_BYTES_PER_SECOND = 1024
BODY_GRACE_SECONDS = 10.0
# A connection is closed when its client has read nothing of a response for this long.
WRITE_SECONDS = 30.0
# Response bytes of one connection that wait in the process before it stops writing, and in the kernel.
WRITE_BUFFER_BYTES = 64 * 1024
SEND_BUFFER_BYTES = 128 * 1024
# Response bytes of all connections of one process that wait for their clients.
MAX_WAITING_BYTES = 64 * 1024 * 1024
# The interval at which a connection is checked against these limits.
CONNECTION_CHECK_SECONDS = 1.0
# Connections of one process, and of one address to it.
MAX_CONNECTIONS = 4_000
MAX_ADDRESS_CONNECTIONS = 128
# File descriptors that are left for the database, jobs, outgoing calls and files.
RESERVED_DESCRIPTORS = 256
# Connections that the kernel completes before the process accepts them.
BACKLOG_CONNECTIONS = 128
# A stopping server waits this long for running requests, and this long for new requests on idle connections.
STOP_SECONDS = 10
STOP_IDLE_SECONDS = 1.0

# Bodies of requests.
MAX_BODY_BYTES = 2 * 1024 * 1024
# At most this much of a body is read before the caller is authenticated.
MAX_UNAUTHENTICATED_BODY_BYTES = 64 * 1024
# Keys of which a process remembers where they led to last; each takes about 1 KB.
MAX_RECENT_KEYS = 5_000
MAX_TASK_BODY_BYTES = 12 * 1024 * 1024

# A replica of the database, if there is one.
# How long a page waits for a connection to it.
REPLICA_WAIT_SECONDS = 0.5
# How long one that does not answer is left alone.
REPLICA_REST_SECONDS = 10.0

# Lists and search; page sizes are rows.
DEFAULT_PAGE_SIZE = 20
MAX_PAGE_SIZE = 100
MIN_QUERY_CHARACTERS = 2
MAX_QUERY_CHARACTERS = 500
# Memory of one process for search indexes, and for the vectors of articles: for those of small bots, and for
# those of large ones beside it. An evicted one is loaded again by the next search, within a millisecond if it
# is small: 1,000 bots of 100 articles shall fit into a process of 400 MB.
MAX_SMALL_INDEX_CACHE_BYTES, MAX_INDEX_CACHE_BYTES = 40 * 1024 * 1024, 192 * 1024 * 1024
MAX_SMALL_VECTOR_CACHE_BYTES, MAX_VECTOR_CACHE_BYTES = 20 * 1024 * 1024, 96 * 1024 * 1024
# From this size on an index or the vectors of a bot are large. Stored indexes of that size are files that
# processes share, and so are vectors. Each holds a file descriptor open, so with the caches above a process
# needs 96 and 48 at most; the usual limit is 1,024, of which connections take 768.
LARGE_INDEX_BYTES = 2 * 1024 * 1024
# Requests of one process that wait until an index is loaded for the first time; further ones wait this long.
MAX_INDEX_WAITERS = 3
INDEX_WAIT_SECONDS = 1.0
# Articles whose texts are checked for a quoted phrase.
MAX_PHRASE_CHECKS = 300
# Search and embeddings cover this much of an article.
MAX_INDEXED_CHARACTERS = 250_000
MAX_INDEXED_PASSAGES = 600
# Articles that are ranked as the nearest ones, even if a caller requests fewer.
MAX_NEAREST_ARTICLES_RETRIEVED = 10
# Synonyms of one bot: groups, terms of one group, and characters of one term.
MAX_SYNONYM_GROUPS = 200
MAX_SYNONYMS_PER_GROUP = 20
MAX_SYNONYM_CHARACTERS = 60
# Passages that a search returns at most, over all its pages.
MAX_PASSAGES_LISTED = 50
# The excerpt of a search result is taken from this much of the rendered text.
MAX_EXCERPT_SOURCE_CHARACTERS = 100_000

# Articles: history, former addresses and collections.
# Revisions that are kept of one article.
MAX_REVISIONS = 50
DELETED_ARTICLE_RETENTION = timedelta(days=30)
# Redirects of one bot; characters and segments of the path of one, and characters of addresses in a request.
MAX_REDIRECTS = 10_000
MAX_REDIRECT_PATH_CHARACTERS = 500
MAX_REDIRECT_SEGMENTS = 20
MAX_REDIRECT_URL_CHARACTERS = 2_000
# Redirects that are followed from one address; those that go further lead nowhere.
MAX_REDIRECT_HOPS = 5
# Levels of collections: one at the top, one in it, and one in that.
MAX_COLLECTION_LEVELS = 3

# The pages of a help center.
# The home page of a help center: collections on one page of it, and articles shown for each collection.
HOME_COLLECTIONS = 50
HOME_ARTICLES = 12
# Articles on one page of a collection, and pages of any list.
COLLECTION_ARTICLES = 100
# The tree beside a text: collections in it, and articles before and after the one that is read.
TREE_COLLECTIONS = 200
TREE_NEIGHBOURS = 30
MAX_SITE_PAGES = 10_000
# Rendered pages that a process keeps, with their compressed forms, and the longest one that it keeps.
MAX_PAGE_CACHE_BYTES = 32_000_000
MAX_CACHED_PAGE_BYTES = 500_000
MAX_CACHED_QUERY_BYTES = 16
# Entries on one page of the changelog and in its feed; a longer text appears on the entry's own page only.
MAX_CHANGELOG_PAGE_ENTRIES = 20
MAX_CHANGELOG_INLINE_CHARACTERS = 50_000
# Help centers listed at the root of an installation if all of them belong to one workspace.
FRONT_PAGE_HELP_CENTERS = 100
# URLs of one sitemap (Sitemaps protocol), and memory of one process for cached sitemaps.
MAX_SITEMAP_URLS = 50_000
MAX_SITEMAPS_BYTES = 32 * 1024 * 1024
# Articles that `llms.txt` links to, and bytes of Markdown in `llms-full.txt`.
MAX_LLMS_LINKS = 5_000
MAX_LLMS_FULL_BYTES = 1024 * 1024
# Titles that browsers are suggested for what is typed into their own search field.
SITE_SUGGESTIONS = 8
RELATED_ARTICLES = 3
MAX_CACHED_RELATED_ARTICLES = 20_000
# Locales whose words and names a process keeps at hand.
MAX_CATALOGUES = 64
# Characters of answers that an article of questions says once more to search engines.
MAX_FAQ_CHARACTERS = 4_000
# Bytes of cards that a process keeps at hand, and cards that it draws at once.
MAX_CARDS_BYTES = 16 * 1024 * 1024
MAX_CONCURRENT_CARDS = 2
# Languages that the pages of a help center lead to.
MAX_SITE_LANGUAGES = 40
# Results on one page of the help center's search.
SITE_PAGE_ROWS = 10
# Searches of one help center, per client address.
SITE_SEARCHES_PER_MINUTE = 120
# A form that a page of the public site holds can be sent for this long; nobody fills one in faster than that.
SITE_FORM_TTL_SECONDS = 86_400
MIN_SITE_FORM_SECONDS = 2
# How long a process believes whether a host is a custom domain, and of how many hosts it knows that.
CUSTOM_DOMAIN_CACHE_SECONDS = 5
MAX_CACHED_HOSTS = 10_000
# How many accent colours' styles a process keeps.
MAX_CACHED_ACCENTS = 1_000
# Links, labels, addresses and legal lines around the pages of a help center.
MAX_HEADER_LINKS = 5
MAX_FOOTER_LINKS = 12
MAX_FRAME_LABEL_CHARACTERS = 40
MAX_FRAME_URL_CHARACTERS = 500
MAX_LEGAL_CHARACTERS = 500
# A token in the address of a sign-in is soon over: addresses stay in histories and logs.
MAX_SIGN_IN_TOKEN_SECONDS = 600
# How long a visitor stays signed in to a help center.
VISITOR_SESSION_SECONDS = 12 * 3600

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
# Repetitions of a request after a rate limit or a fault of the API, and the longest wait before one.
MAX_IMPORT_RETRIES = 5
MAX_IMPORT_WAIT_SECONDS = 600.0

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
# Lists and mappings within each other in a YAML file or in front matter that is imported.
MAX_IMPORT_SETTINGS_DEPTH = 100
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
# Losses of one import that its page names; the command names all.
MAX_SHOWN_LOSSES = 500
# Former imports that the page lists; what an import has left behind is removed after this time.
MAX_SHOWN_IMPORTS = 20
IMPORT_RETENTION = timedelta(days=90)

# Files: images and downloads of articles.
# One file as it is sent, and the files of one bot together.
MAX_FILE_BYTES = 20 * 1024 * 1024
MAX_BOT_FILES_BYTES = 5 * 1024 * 1024 * 1024
MAX_FILE_NAME_CHARACTERS = 200
# Width times height of one picture.
MAX_PICTURE_PIXELS = 40_000_000
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

# Webhooks.
MAX_WEBHOOK_URL_CHARACTERS = 2_000
# Endpoints of one workspace.
MAX_WEBHOOK_ENDPOINTS = 20
# Secrets of one endpoint: the current one, and replaced ones that still sign.
MAX_WEBHOOK_SECRETS = 10
REPLACED_SECRET_TTL = timedelta(hours=24)
# Delays after each failed attempt (specification, Delivery); a delivery fails for good after the last one.
DELIVERY_RETRY_DELAYS = (
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
    timedelta(hours=24),
)
# An endpoint is disabled when every delivery to it has failed for this long.
ENDPOINT_DISABLED_AFTER = timedelta(days=5)
# Attempts in the log of one delivery.
MAX_ATTEMPTS_LOGGED = 50
# Events and their deliveries are kept for this long, whether the deliveries have succeeded or not.
EVENT_RETENTION = timedelta(days=30)
# Concurrent deliveries: per sending process; per workspace and per endpoint over all processes.
MAX_CONCURRENT_DELIVERIES = 200
MAX_CONCURRENT_WORKSPACE_DELIVERIES = 20
MAX_CONCURRENT_ENDPOINT_DELIVERIES = 4

# Outgoing HTTP requests.
# Time of one request: DNS lookup, connection, TLS handshake, response headers and body together.
OUTBOUND_SECONDS = 10
DNS_LOOKUP_SECONDS = 4
# DNS answers are cached for their own TTL, but no longer than this.
MAX_DNS_CACHE_SECONDS = 60
# Connection attempts per request; all addresses of the host are vetted.
MAX_ADDRESSES_TRIED = 6
# The body of a response; then the whole response with headers and framing; then the part that is logged.
MAX_RESPONSE_BYTES = 16 * 1024
MAX_RESPONSE_WIRE_BYTES = 48 * 1024
RESPONSE_EXCERPT_BYTES = 1_000
# `instep webhooks listen` accepts bodies of this size: an event holds an article's text before and after it.
MAX_LISTENER_BODY_BYTES = 16 * 1024 * 1024

# Alerts to chat tools.
# Targets of one bot.
MAX_ALERT_TARGETS = 10
# Parts of one message. Together they leave room for escaping below Discord's limit of 2,000 characters.
MAX_ALERT_TITLE_CHARACTERS = 100
MAX_ALERT_TEXT_CHARACTERS = 700
MAX_ALERT_LINK_CHARACTERS = 350
# Alerts of one workspace that one process sends at the same time.
MAX_CONCURRENT_ALERTS = 4
# Alerts about visitors, per bot; further ones are dropped. An alert to several targets counts once.
ALERTS_PER_HOUR = 60
# Start-up time of the posting process, in addition to the time of its request.
ALERT_STARTING_SECONDS = 10

# Idempotency keys of tasks.
MAX_IDEMPOTENCY_KEY_CHARACTERS = 255
IDEMPOTENCY_RETENTION_HOURS = 24

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

# OAuth clients: what one registers and sends.
MAX_APP_NAME_CHARACTERS = 100
MAX_REDIRECT_URI_CHARACTERS = 2_000
MAX_REDIRECT_URIS = 10
MAX_OAUTH_STATE_CHARACTERS = 4_000
MAX_OAUTH_BODY_BYTES = 16 * 1024
# Parameters of one authorization or token request.
MAX_OAUTH_PARAMETERS = 30
# A client ID metadata document: size of the response with headers and framing, and time of the request.
MAX_CLIENT_METADATA_BYTES = 64 * 1024
CLIENT_METADATA_SECONDS = 5
# A client ID metadata document is cached for as long as its `Cache-Control` says, within these bounds.
MIN_CLIENT_METADATA_TTL = timedelta(minutes=5)
MAX_CLIENT_METADATA_TTL = timedelta(hours=24)
AUTHORIZATION_CODE_TTL = timedelta(seconds=60)
ACCESS_TOKEN_TTL = timedelta(hours=1)
# A connection expires after this long without use; every refresh restarts the clock.
REFRESH_TOKEN_TTL = timedelta(days=30)
# A registered client that is not used is deleted after this time.
UNUSED_APP_RETENTION = timedelta(days=30)
# Connections of one person; a further one replaces the least recently used one.
MAX_CONNECTIONS_PER_PERSON = 50
# Per client address: registrations, and calls to the token and revocation endpoints.
REGISTRATIONS_PER_HOUR = 20
REGISTRATION_WINDOW_SECONDS = 3_600
TOKEN_CALLS_PER_MINUTE = 120
# Per person: fetches of client ID metadata documents.
CLIENT_METADATA_FETCHES_PER_MINUTE = 30

# Trusts of CI jobs.
MAX_TRUSTS_PER_WORKSPACE = 100
# Claims of one trust, and characters of a claim's name and value, an issuer and an audience.
MAX_TRUST_CLAIMS = 20
MAX_CLAIM_CHARACTERS = 500
MAX_ISSUER_CHARACTERS = 500
# An ID token in characters, and its age: none is issued for a longer job.
MAX_ID_TOKEN_CHARACTERS = 12_000
ID_TOKEN_MAX_AGE = timedelta(hours=24)
TRUST_TOKEN_TTL = timedelta(minutes=15)
# Exchanges per trust.
TOKEN_EXCHANGES_PER_MINUTE = 60
# Documents and keys of an issuer, in bytes, and the number of issuers whose keys a process keeps.
MAX_ISSUER_DOCUMENT_BYTES = 256 * 1024
MAX_CACHED_ISSUERS = 100
ISSUER_KEYS_TTL = timedelta(minutes=10)
# A token with an unknown key has the keys fetched again, but not before they have this age.
MIN_ISSUER_KEYS_AGE = timedelta(seconds=30)

# Rate limits of the APIs and of public pages.
REQUEST_WINDOW_SECONDS = 60
# Client addresses that one process counts for pages and public documents: about 3 MB of memory.
MAX_BUCKETS = 10_000
# `max-age` of Strict-Transport-Security (RFC 6797).
HSTS_SECONDS = 31_536_000
TASK_WINDOW_SECONDS = 3_600
# A workspace may create as many tasks per window as this many of its API keys.
MAX_TASK_QUOTAS_PER_WORKSPACE = 10
HOUR_SECONDS = 3_600
# Calls to the visitor API, per visitor of a bot, and per client address.
VISITOR_CALLS_PER_MINUTE = 30
VISITOR_ADDRESS_CALLS_PER_MINUTE = 120
# What a widget reads (its texts, articles, and a search with each pause in typing), per client address: many
# people of an office have the same one.
WIDGET_READS_PER_MINUTE = 600

# People who sign in.
MIN_PASSWORD_CHARACTERS = 12
# Longer passwords would let an attacker cause expensive hashing.
MAX_PASSWORD_CHARACTERS = 256
# The score of zxcvbn, 0 to 4; a score of 3 means more than a hundred million guesses.
MIN_PASSWORD_SCORE = 3
SESSION_IDLE_TTL = timedelta(hours=12)
SESSION_MAX_AGE = timedelta(days=14)
# Dangerous actions need a proof of identity that is no older than this.
RECENT_SIGN_IN_TTL = timedelta(minutes=10)
# How long a browser has for the second step of signing in, or for the question to a passkey.
CHALLENGE_TTL = timedelta(minutes=10)
# Codes that are tried in the second step, of one person or from a browser that is known to them.
MAX_SECOND_FACTOR_TRIES = 10
SECOND_FACTOR_WINDOW_SECONDS = 900
# Passkeys of one person, and characters of the name of one.
MAX_PASSKEYS = 20
MAX_PASSKEY_NAME_CHARACTERS = 60
# Documents of an OpenID provider in bytes, and by how many seconds its clock may differ.
MAX_OIDC_DOCUMENT_BYTES = 64 * 1024
OIDC_LEEWAY_SECONDS = 60
# Codes of one set, each for one use.
RECOVERY_CODES = 10
# A link that invites somebody, and one that signs in or sets up the installation.
INVITATION_TTL = timedelta(days=7)
SETUP_LINK_TTL = timedelta(hours=24)
# Invitations of one workspace that wait to be accepted.
MAX_INVITATIONS = 100
# Sign-ins from a known browser, one that has signed in to the account before, and how long it stays known.
MAX_SIGN_INS_PER_BROWSER = 10
SIGN_IN_BROWSER_WINDOW_SECONDS = 900
KNOWN_BROWSER_TTL = timedelta(days=180)
# Sign-ins from other browsers: from one address, and from its network (IPv4 /24, IPv6 /48).
MAX_SIGN_INS_PER_ADDRESS = 20
MAX_SIGN_INS_PER_NETWORK = 100
SIGN_IN_ADDRESS_WINDOW_SECONDS = 60
# Sign-ins to one account from one address, and from its network within the window of the account.
MAX_SIGN_INS_PER_ACCOUNT_AND_ADDRESS = 10
SIGN_IN_ACCOUNT_AND_ADDRESS_WINDOW_SECONDS = 900
MAX_SIGN_INS_PER_ACCOUNT_AND_NETWORK = 20
# Sign-ins to one account from all addresses. After the shared ones each network has only its reserved ones,
# up to the maximum of the account.
MAX_SHARED_SIGN_INS_PER_ACCOUNT = 100
RESERVED_SIGN_INS_PER_ACCOUNT_AND_NETWORK = 2
MAX_SIGN_INS_PER_ACCOUNT = 500
SIGN_IN_ACCOUNT_WINDOW_SECONDS = 3_600
# Passwords that one process hashes at a time (19 MiB and about 30 ms each), and sign-ins that wait.
MAX_CONCURRENT_PASSWORD_HASHES = 2
MAX_PASSWORD_WAITERS = 60
# The path that a person returns to after signing in; an authorization request is the longest.
MAX_NEXT_PATH_CHARACTERS = 8_000
AUDIT_RETENTION = timedelta(days=400)

# The visitor API.
MAX_VISITOR_BODY_BYTES = 64 * 1024
# How long a browser caches the response to a preflight request.
PREFLIGHT_CACHE_SECONDS = 600
# How long browsers use the widget's script without asking, and how much longer while they ask.
WIDGET_FRESH_SECONDS = 300
WIDGET_STALE_SECONDS = 86_400
# Origins of one bot.
MAX_ORIGINS = 50
MAX_COLOUR_CHARACTERS = 100
MAX_EMAIL_CHARACTERS = 254
MAX_VISITOR_MESSAGE_CHARACTERS = 2_000
# Leads of one bot, over all visitors; and leads that the page of one conversation shows.
LEADS_PER_HOUR = 200
MAX_SHOWN_LEADS = 20

# Questions and answers.
MAX_QUESTION_CHARACTERS = 2_000
# Wordings stored for one unanswered question.
MAX_QUESTION_EXAMPLES = 5
# The identifier of a visitor as callers send it; only a hash is stored.
MAX_VISITOR_CHARACTERS = 200
# The identifier that callers give a question, to send it again without asking twice.
MAX_QUESTION_ID_CHARACTERS = 100
MAX_PAGE_URL_CHARACTERS = 2_000
# Articles that a widget lists for what is typed, and for the page that it is on.
WIDGET_SEARCH_RESULTS = 5
WIDGET_SUGGESTIONS = 4
MAX_VISITOR_TOKEN_CHARACTERS = 8_192
VISITOR_TOKEN_LEEWAY_SECONDS = 60
# How many earlier questions of a conversation a follow-up may refer to.
MAX_EARLIER_QUESTIONS = 3
# Passages retrieved for a question, those among which the best sections are chosen, and passages that an
# answer may use.
MAX_PASSAGES_RETRIEVED = 8
MAX_PASSAGES_COMPARED = 16
MAX_ANSWER_PASSAGES = 4
# Minimum probability (0 to 1) that the articles hold the answer; below it there is no answer.
ANSWER_THRESHOLD = 0.5
# Minimum probability (0 to 1) that the nearest section is quoted, as what may help; below it none is.
MAY_HELP_THRESHOLD = 0.2
# Words that an answer quotes from the best passage, and where the question is how to do something; a list is
# quoted as a whole up to the third number.
MAX_ANSWER_WORDS = 80
MAX_HOW_TO_WORDS = 120
MAX_ANSWER_LIST_WORDS = 260
# Share of a bot's daily token budget that visitors' questions may use; the rest is kept for tasks.
ANSWERS_BUDGET_SHARE = 0.5
MAX_ANSWER_TOKENS = 1_000
# Interval of comments in an event stream: many proxies close a connection after a silent minute.
STREAM_HEARTBEAT_SECONDS = 10
CONVERSATION_RETENTION = timedelta(days=180)
# Longest term that is compared; longer ones are cut.
MAX_TERM_CHARACTERS = 100
# Golden questions of one bot; one run asks all of them.
MAX_GOLDEN_QUESTIONS = 500

# Insights: unanswered questions and the drafts made from them.
# Nearest articles stored with an unanswered question.
MAX_NEAREST_ARTICLES = 5
# Distinct visitors who must ask a question before it gets a draft; pending drafts of one bot, beyond which no
# further one is made or can be requested; and the delay before new wordings are added to a pending draft.
MIN_GAP_VISITORS = 3
MAX_PENDING_GAP_DRAFTS = 50
GAP_DRAFT_REFRESH_DELAY = timedelta(hours=1)
# The draft of a paused workspace is tried again after this time.
PAUSED_GAP_RETRY_DELAY = timedelta(hours=1)
# Questions that the dashboard offers to merge one into.
MAX_SIMILAR_QUESTIONS = 20
# Notes of visitors who asked for a person after an unanswered question: their number, and their length.
MAX_GAP_NOTES = 3
MAX_GAP_NOTE_CHARACTERS = 300
# Sources of a new article: passages per wording of a question, and topics of the instructions.
MAX_SOURCES_PER_WORDING = 5
MAX_TOPICS_SEARCHED = 100
QUESTION_LOG_RETENTION = timedelta(days=180)
# Minimum share (0 to 1) of terms in common that makes two questions wordings of one.
MIN_SAME_QUESTION_OVERLAP = 0.66

# Insights: the health of articles.
# Problems with the same code in one article: how many are reported, how many lower the score.
MAX_REPORTED_PROBLEMS_PER_CODE = 20
MAX_SCORED_PROBLEMS_PER_CODE = 3
# Texts with fewer characters are reported as short. Spaces do not count; a Chinese character counts as 3.
SHORT_TEXT_CHARACTERS = 100
MAX_CHARACTERS_WITHOUT_HEADINGS = 3_000
MAX_LINKS_CHECKED = 500
# Texts with fewer words are not compared; texts of at least this similarity (0 to 1) are duplicates.
MIN_COMPARED_WORDS = 40
MIN_DUPLICATE_SIMILARITY = 0.8
STALE_EDIT_AGE = timedelta(days=14)
# An article counts as unhelpful when, within this window, at least this many answers citing it were rated bad
# and they are at least this share (0 to 1) of its ratings.
FEEDBACK_WINDOW = timedelta(days=90)
MIN_UNHELPFUL_RATINGS = 3
MIN_UNHELPFUL_SHARE = 0.5
# Newest comments of readers on one article that a list shows.
MAX_FEEDBACK_COMMENTS = 10
# Counted visits are written at this interval; at most this many counts wait while the database is away.
VISIT_COUNT_SECONDS = 5
MAX_UNWRITTEN_COUNTS = 100_000
# Words of searches: characters that are kept, and how many different searches a help center keeps for a day.
MAX_COUNTED_QUERY_CHARACTERS = 100
MAX_COUNTED_QUERIES_PER_DAY = 1_000
# Days that insights look back over, where not said, and at the most.
DEFAULT_VISIT_DAYS = 30
MAX_VISIT_DAYS = 366
# Articles are checked for a name for this long after a code change removed it.
REMOVED_NAME_RETENTION = timedelta(days=180)
MAX_ANALYZED_CHARACTERS = 300_000
MAX_ANALYSIS_SECONDS = 6
# A check of a help center occupies a database connection: its time, concurrent checks of one process, and the
# value of `Retry-After` for further ones.
CHECK_SECONDS = 20
MAX_CONCURRENT_CHECKS = 2
CHECK_RETRY_SECONDS = 5
# The dashboard examines up to this many articles while its page loads, and more of them in the background.
MAX_PROMPTLY_EXAMINED_ARTICLES = 100
# Cached analyses of articles in one process: memory, and problems.
MAX_ANALYSIS_CACHE_BYTES = 30_000_000
MAX_CACHED_PROBLEMS = 150_000
# Lists of articles of which a process knows in which state they were examined last.
MAX_REMEMBERED_EXAMINATIONS = 10_000

# Markdown that its renderer would take more than linear time for is refused.
MAX_RENDER_SECONDS = 2
# Quotes, lists and footnotes may be nested this many levels.
MAX_NESTING_LEVELS = 30
# Counts in one text.
MAX_LIST_ITEMS = 50_000
MAX_HEADINGS = 10_000
MAX_EQUAL_HEADINGS = 1_000
MAX_TABLE_COLUMNS = 500
MAX_TABLE_CELLS = 50_000
MAX_FOOTNOTE_MARKS = 10_000
MAX_AMPERSANDS = 20_000
# Characters `@` in one line, and closing parentheses in one autolink.
MAX_LINE_ADDRESSES = 1_000
MAX_LINK_PARENTHESES = 2_000
# HTML tags in Markdown: tags that are open at the same time, and attributes of one tag.
MAX_OPEN_TAGS = 200
MAX_ATTRIBUTES = 100

# Expensive work: diffs, the writer, and the processes that they run in.
MAX_DIFF_SECONDS = 2
# Interval at which a task of a paused workspace is retried.
PAUSED_TASK_RETRY_DELAY = timedelta(seconds=30)
# A request waits while its diff is parsed, so this has less time than the writer.
MAX_DIFF_PARSE_SECONDS = 10
MAX_WRITER_SECONDS = 60
# Articles that the writer reads for one change: of more in a bot, those that have most to do with it. As many
# of 7,000 characters take 240 MB and 15 seconds to read for the first time, well within its memory and time.
MAX_WRITER_ARTICLES = 2_000
# Longer texts, and diffs with a longer line, are processed in a child process that can be killed.
MAX_INLINE_CHARACTERS = 64_000
INLINE_LINE_CHARACTERS = 4_000
# Memory of a sandbox process for untrusted input, in addition to its memory before the first work.
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
MAX_COMPLETION_TOKENS = 8_000
# Retries of a prompt after a rate limit or an error of the provider, and the delay before the first.
MAX_MODEL_RETRIES = 2
MODEL_RETRY_SECONDS = 2.0
# A provider that demands a longer wait is not asked again.
MAX_MODEL_RETRY_SECONDS = 20.0
# Articles of one task that are sent to the model, and edits in one completion.
MAX_MODEL_ARTICLES = 5
MAX_MODEL_EDITS = 30
# Time to check one completion.
MODEL_CHECK_SECONDS = 20
MODEL_USAGE_RETENTION = timedelta(days=400)

# Embeddings.
# Size of an endpoint's response, dimensions of a vector, and time of one batch.
MAX_EMBEDDINGS_BYTES = 16 * 1024 * 1024
MAX_VECTOR_DIMENSIONS = 4_000
EMBEDDING_SECONDS = 60.0
# A search waits this long for its query's vector; after a failure the circuit breaker is open for this long.
QUERY_EMBEDDING_SECONDS = 1.5
EMBEDDING_BREAKER_SECONDS = 30.0
MAX_CACHED_QUERY_EMBEDDINGS = 2_000
MAX_CONCURRENT_QUERY_EMBEDDINGS = 3
# Text of one vector: about 120 English words, or 240 Chinese characters.
CHUNK_BYTES = 720
# Plain texts of articles and passages that each process keeps, in characters together with their sources.
MAX_CACHED_TEXT_CHARACTERS = 6_000_000
# Semantic hits that a cursor carries.
MAX_SEMANTIC_HITS = 30
# `instep doctor` reports a problem when changes have waited longer than this for their vectors.
MAX_EMBEDDING_LAG_SECONDS = 900

# Forms, and the lists and the editor of the dashboard.
# A form, and the fields of one.
MAX_FORM_BYTES = 16 * 1024
MAX_FORM_FIELDS = 50
# The files of a form that takes them, and its size with one file of the largest size.
MAX_FORM_FILES = 2
MAX_FILE_FORM_BYTES = MAX_FILE_BYTES + MAX_FORM_BYTES
# The form of an editor: a text of the greatest length, each byte of which may be sent as three.
MAX_EDITOR_FORM_BYTES = 12 * 1024 * 1024
# Collections that the editor offers to choose from, and articles that it offers to link to.
MAX_COLLECTIONS_OFFERED = 500
MAX_LINKS_OFFERED = 12
# Rows on one page of a list in the dashboard, and of its audit.
DASHBOARD_PAGE_ROWS = 50
AUDIT_PAGE_ROWS = 100
# Articles that the palette lists.
PALETTE_ROWS = 8
# The dashboard shows this much of a task's diff, and takes one in a form of this size.
MAX_SHOWN_DIFF_CHARACTERS = 50_000
MAX_TASK_FORM_BYTES = 4 * 1024 * 1024

# Drafts, and the releases that they wait for.
# Warnings in the header `Instep-Warnings`.
MAX_WARNINGS = 10
# A warning about an overwrite: lines that it quotes, and characters of each line.
MAX_REPORTED_OVERWRITTEN_LINES = 3
MAX_REPORTED_OVERWRITTEN_LINE_CHARACTERS = 60
# Ids of other drafts of the same article that a draft's detail names.
MAX_REPORTED_OTHER_DRAFTS = 5
# Hunks of one diff that a caller may name.
MAX_HUNKS = 10_000
# Drafts of one source that a page of the review queue holds, and that one call applies together.
MAX_SOURCE_DRAFTS = 100
# How long a person counts as looking at a draft after the last sign of it.
DRAFT_VIEWER_TTL = timedelta(seconds=15)
# Commits of a range that `instep release` reads.
MAX_RELEASE_COMMITS = 10_000
# Addresses, and tasks, that one release may name.
MAX_RELEASE_SOURCES = 1_000

# The review pages of the dashboard.
# Drafts on one page of the queue, and articles that a task has looked at on the page of a source.
REVIEW_QUEUE_ROWS = 50
MAX_SHOWN_VERDICTS = 200
# How long a preview link works, and how many the drafts of a source have.
PREVIEW_TTL = timedelta(days=7)
MAX_PREVIEWS = 20
# How long a digest of new drafts waits for further ones, the time between two, and the sources that it names.
REVIEW_DIGEST_DELAY = timedelta(minutes=5)
REVIEW_DIGEST_WINDOW = timedelta(hours=1)
MAX_DIGEST_SOURCES = 10
# What a page says of the last decision, with its warnings: it travels in a cookie.
MAX_NOTICE_CHARACTERS = 600
# Lines that a note in the margin quotes.
MAX_NOTE_LINES = 12
# The beginning of a change's diff, in which a note looks for what its line was before.
MAX_NOTE_DIFF_CHARACTERS = 1_000_000
# The form with a draft's whole text, each byte of which a browser may send as three.
MAX_EDIT_FORM_BYTES = 6 * 1024 * 1024

# Sync of a folder with git: its Markdown files, and as many pictures and renames; and one request with them.
MAX_SYNC_FILES = 5_000
MAX_SYNC_PATH_CHARACTERS = 500
MAX_SYNC_BODY_BYTES = 32 * 1024 * 1024
# How often pages are tried again that need what another page of the same sync gives up or makes.
MAX_SYNC_ROUNDS = 10

# The commands `instep change` and `instep draft`.
# Time of one run of git, and of one API request.
GIT_SECONDS = 120
API_CALL_SECONDS = 60
# A comment on a pull request, in characters (GitHub takes 65,536); drafts in it; lines and characters of an
# excerpt; and how many pages of comments are searched for an earlier one.
MAX_COMMENT_CHARACTERS = 60_000
MAX_COMMENTED_DRAFTS = 20
MAX_COMMENT_EXCERPT_LINES = 8
MAX_COMMENT_EXCERPT_CHARACTERS = 1_200
MAX_COMMENT_PAGES = 30
# Files that `instep check` reads at once.
MAX_CHECKED_FILES = 20_000
# Caches may keep `instep.pyz` and its digest for this long.
THIN_CLIENT_CACHE_SECONDS = 300
# The largest response that the client reads, in bytes.
MAX_API_RESPONSE_BYTES = 128 * 1024 * 1024
# A request is retried for this long while the server is unreachable or busy, with pauses of at most this.
API_RETRY_SECONDS = 90
MAX_API_RETRY_PAUSE_SECONDS = 15
# `instep draft` retries for less time, since a person waits at a terminal.
REVIEW_RETRY_SECONDS = 5
# The interval of polling a task grows from the first to the second; waiting ends after the third.
MIN_POLL_SECONDS = 0.5
MAX_POLL_SECONDS = 10.0
TASK_WAIT_SECONDS = 300
# Limits of the report: drafts; diff lines per draft; characters per line; skipped files named.
MAX_REPORTED_DRAFTS = 50
MAX_REPORTED_DIFF_LINES = 60
MAX_REPORTED_LINE_CHARACTERS = 300
MAX_REPORTED_SKIPPED_FILES = 20
# GitHub accepts a step summary of one megabyte.
MAX_SUMMARY_BYTES = 900_000
