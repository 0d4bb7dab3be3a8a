"""Every limit of the product, by name (contract sections 2 and 7)."""

from datetime import timedelta

MAX_TITLE_CHARACTERS = 200
MAX_CONTENT_CHARACTERS = 1_000_000
MAX_DESCRIPTION_CHARACTERS = 500
MAX_SLUG_CHARACTERS = 120
MAX_REASON_CHARACTERS = 2_000
MAX_SOURCE_URL_CHARACTERS = 2_000
MAX_NAME_CHARACTERS = 200
# A refusal that asks for a bot names no more of those that the caller may choose.
MAX_BOTS_NAMED = 10
MAX_ICON_CHARACTERS = 16
MAX_CHANGE_BODY_CHARACTERS = 100_000
MAX_INSTRUCTIONS_CHARACTERS = 100_000
MAX_DIFF_CHARACTERS = 10_000_000
MAX_INTEGER = 2_147_483_647

# The request line and the headers together.
MAX_HEAD_BYTES = 64 * 1024
# Requests that one connection may send ahead, without waiting for answers.
MAX_PIPELINED_REQUESTS = 100
# For the head of a request, counted from its first byte or from the start of the connection.
HEAD_SECONDS = 10.0
# A connection without a request is closed after this time.
KEEP_ALIVE_SECONDS = 15
# A body must come at this rate on average, once the grace period is over.
MIN_BODY_BYTES_PER_SECOND = 1024
BODY_GRACE_SECONDS = 10.0
# A client that takes none of the bytes that wait for it is given up after this time.
WRITE_SECONDS = 30.0
# Of one connection: bytes of answers that wait in the process before it writes no more, and in the kernel.
WRITE_BUFFER_BYTES = 64 * 1024
SEND_BUFFER_BYTES = 128 * 1024
# Of one process: bytes of answers that wait for all of its clients.
MAX_WAITING_BYTES = 64 * 1024 * 1024
# How often a connection is held against these limits.
CONNECTION_CHECK_SECONDS = 1.0
# Of one process. File descriptors are left for the database, jobs, calls to others and files.
MAX_CONNECTIONS = 4_000
MAX_ADDRESS_CONNECTIONS = 128
RESERVED_DESCRIPTORS = 256
# The kernel completes so many connections ahead, which the process then accepts at a stroke.
BACKLOG_CONNECTIONS = 128
# A server that stops answers what runs for so long, and waits so long on connections for a last request.
STOP_SECONDS = 10
STOP_IDLE_SECONDS = 1.0

MAX_BODY_BYTES = 2 * 1024 * 1024
# Of a body, before it is known who sends it.
UNADMITTED_BODY_BYTES = 64 * 1024
MAX_TASK_BODY_BYTES = 12 * 1024 * 1024

DEFAULT_PAGE_SIZE = 20
MAX_PAGE_SIZE = 100
MIN_QUERY_CHARACTERS = 2
MAX_QUERY_CHARACTERS = 500
# What a process keeps of the indexes of bots; they are read anew when they are asked for again.
MAX_INDEX_CACHE_BYTES = 256 * 1024 * 1024
# Requests of a process that wait to the end while a bot is read for the first time; others wait a moment.
MAX_INDEX_WAITERS = 3
INDEX_WAIT_SECONDS = 1.0
# Articles whose texts are looked through for words that must stand together.
MAX_PHRASE_CHECKS = 300
# The search indexes this much of an article; its embeddings cover the same.
MAX_INDEXED_CHARACTERS = 250_000
MAX_INDEXED_PASSAGES = 600
MAX_NEAREST_RETRIEVED = 10
# A search for passages lists so many in all, and a page of the help center so many of them.
MAX_PASSAGES_LISTED = 50
SITE_PAGE_SIZE = 10
# The excerpt of a search result comes from so much of the rendered text.
MAX_EXCERPT_SOURCE_CHARACTERS = 100_000
MAX_REVISIONS = 50
DELETED_ARTICLE_RETENTION = timedelta(days=30)
# Of the first page of a help center: collections on one page of it, and articles shown of each.
HOME_COLLECTIONS = 50
HOME_ARTICLES = 12
# Articles on one page of a collection, and the last page of any list that is looked for.
COLLECTION_ARTICLES = 100
MAX_SITE_PAGE = 10_000
# Of the changelog's page and of its feed; a longer text is left to the page of its entry.
MAX_CHANGELOG_PAGE_ENTRIES = 20
MAX_CHANGELOG_INLINE_CHARACTERS = 50_000
# The list at the root of an installation whose help centers all belong to one workspace.
FRONT_PAGE_HELP_CENTERS = 100
# As many as the protocol of sitemaps allows in one file.
MAX_SITEMAP_URLS = 50_000
# Sitemaps that a process keeps until their help center changes.
MAX_SITEMAPS_BYTES = 32 * 1024 * 1024

MAX_WEBHOOK_URL_CHARACTERS = 2_000
# Of one workspace.
MAX_WEBHOOK_ENDPOINTS = 20
# Of one endpoint: the present one and those that were replaced and still sign.
MAX_WEBHOOK_SECRETS = 10
REPLACED_SECRET_TTL = timedelta(hours=24)
# Counted from the end of the attempt before (specification, Delivery); after the last one it has failed.
DELIVERY_RETRY_DELAYS = (
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
    timedelta(hours=24),
)
# An endpoint on which everything has failed for so long is disabled.
ENDPOINT_DISABLED_AFTER = timedelta(days=5)
# In the log of one delivery.
MAX_ATTEMPTS_LOGGED = 50
# With the deliveries of them, settled or not.
EVENT_RETENTION = timedelta(days=30)
# Under way at once: of one sending process, of one workspace and of one endpoint over all processes.
MAX_CONCURRENT_DELIVERIES = 200
MAX_CONCURRENT_WORKSPACE_DELIVERIES = 20
MAX_CONCURRENT_ENDPOINT_DELIVERIES = 4
# Of one call to somebody else: look-up, connection, encryption, headers and body together.
OUTBOUND_SECONDS = 10
DNS_LOOKUP_SECONDS = 4
# As long as their own times allow, and no longer than this.
MAX_DNS_CACHE_SECONDS = 60
# Of those that a name leads to, all of which are vetted.
MAX_ADDRESSES_TRIED = 6
# Of the body of an answer; then with its headers and all that frames it.
MAX_RESPONSE_BYTES = 16 * 1024
MAX_RESPONSE_WIRE_BYTES = 48 * 1024
RESPONSE_EXCERPT_BYTES = 1_000
# Of `instep webhooks listen`: an event holds the text of an article, and the text before it.
MAX_LISTENER_BODY_BYTES = 16 * 1024 * 1024
# Of one bot.
MAX_ALERT_TARGETS = 10
# Of a message to a chat tool. Discord takes 2,000 characters: escaped ones too have room there.
MAX_ALERT_TITLE_CHARACTERS = 100
MAX_ALERT_TEXT_CHARACTERS = 700
MAX_ALERT_LINK_CHARACTERS = 350
# Under way at once, of one workspace in one process.
MAX_CONCURRENT_ALERTS = 4
# Of one bot in an hour: alerts about visitors, each to all of its targets. More are not sent.
ALERTS_PER_HOUR = 60
# Of the process that posts one: what it may take besides the call itself.
ALERT_STARTING_SECONDS = 10

MAX_IDEMPOTENCY_KEY_CHARACTERS = 255
IDEMPOTENCY_RETENTION_HOURS = 24

# Of the answer of an MCP tool: about 4,000 tokens; of a text in it, which comes in pieces, about 3,000.
MAX_TOOL_RESULT_BYTES = 16_000
MAX_TOOL_TEXT_BYTES = 12_000
# Of what stands beside such a text: the places behind an edit, what a task has looked at.
MAX_TOOL_CONTEXT_BYTES = 3_000
DEFAULT_TOOL_ROWS = 10
MAX_TOOL_ROWS = 50
TOOL_EXCERPT_CHARACTERS = 300
# Of one article in a list; `check_articles` tells all of them.
MAX_TOOL_PROBLEMS = 5
# Clients may keep the list of tools for so long.
TOOLS_CACHE_SECONDS = 60
# Public documents about the servers, which change with the installation's version and address only.
DISCOVERY_CACHE_SECONDS = 3_600
MAX_CHECKED_ARTICLES = 100
MAX_CHECKED_TERMS = 20
MIN_TERM_CHARACTERS = 2

# Of an app that people connect: what it says of itself, and what it is told.
MAX_APP_NAME_CHARACTERS = 100
MAX_REDIRECT_URI_CHARACTERS = 2_000
MAX_REDIRECT_URIS = 10
MAX_OAUTH_STATE_CHARACTERS = 4_000
MAX_OAUTH_BODY_BYTES = 16 * 1024
# Of a client ID metadata document: of its body, with all that frames it, and of the whole call.
MAX_CLIENT_METADATA_BYTES = 64 * 1024
CLIENT_METADATA_SECONDS = 5
# For how long one is not read again, as far as it says so itself.
MIN_CLIENT_METADATA_TTL = timedelta(minutes=5)
MAX_CLIENT_METADATA_TTL = timedelta(hours=24)
AUTHORIZATION_CODE_TTL = timedelta(seconds=60)
ACCESS_TOKEN_TTL = timedelta(hours=1)
# Of a connection that is not used; each use of its refresh token begins the time anew.
REFRESH_TOKEN_TTL = timedelta(days=30)
# Of a registered app that nobody uses.
UNUSED_APP_RETENTION = timedelta(days=30)
# Of one person's connections; the one that was used least lately makes room.
MAX_CONNECTIONS_PER_PERSON = 50
# From one address: registrations in an hour, and in a minute calls for tokens.
REGISTRATIONS_PER_HOUR = 20
REGISTRATION_WINDOW_SECONDS = 3_600
TOKEN_CALLS_PER_MINUTE = 120
# Of one person in a minute: addresses of documents that are looked up for them.
CLIENT_METADATA_FETCHES_PER_MINUTE = 30

REQUEST_WINDOW_SECONDS = 60
# Addresses that a process counts at once for pages and public documents: some 3 MB of memory.
MAX_BUCKETS = 10_000
# For how long a browser comes back by https only, once it has been here by https.
HTTPS_ONLY_SECONDS = 31_536_000
TASK_WINDOW_SECONDS = 3_600
# A workspace creates at most as many tasks in that window as so many of its API keys may.
MAX_TASK_QUOTAS_PER_WORKSPACE = 10
HOUR_SECONDS = 3_600
# Calls with a bot key in a minute: of one visitor of a bot, and of all who come from one address.
VISITOR_CALLS_PER_MINUTE = 30
VISITOR_ADDRESS_CALLS_PER_MINUTE = 120
# Searches of a help center by all who come from one address, in a minute.
SITE_SEARCHES_PER_MINUTE = 120

# Of people who sign in. Beyond the longest, hashing alone would be work for an attacker to give.
MIN_PASSWORD_CHARACTERS = 12
MAX_PASSWORD_CHARACTERS = 256
# Of zxcvbn, from 0 to 4: 3 takes more than a hundred million guesses.
MIN_PASSWORD_SCORE = 3
SESSION_IDLE_TTL = timedelta(hours=12)
SESSION_MAX_AGE = timedelta(days=14)
# Attempts to sign in from a browser that has signed in to the account before, and for how long that counts.
SIGN_IN_BROWSER = 10
SIGN_IN_BROWSER_SECONDS = 900
KNOWN_BROWSER_TTL = timedelta(days=180)
# All others in a minute: from one address, and from its network (/24, of IPv6 /48).
MAX_SIGN_INS_PER_ADDRESS = 20
SIGN_IN_NETWORK = 100
SIGN_IN_ADDRESS_WINDOW_SECONDS = 60
# And to one account: from one address, and in an hour from its network.
MAX_SIGN_INS_PER_ACCOUNT_AND_ADDRESS = 10
SIGN_IN_ACCOUNT_AND_ADDRESS_WINDOW_SECONDS = 900
SIGN_IN_ACCOUNT_NETWORK = 20
# In an hour from anywhere; beyond that each network still has a few of its own, up to a number in all.
MAX_SIGN_INS_PER_ACCOUNT = 100
SIGN_IN_ACCOUNT_NETWORK_RESERVED = 2
MAX_SIGN_IN_ACCOUNT = 500
SIGN_IN_ACCOUNT_WINDOW_SECONDS = 3_600
# Each takes 19 MiB and a thirtieth of a second; of those that wait, some seconds' worth.
MAX_CONCURRENT_PASSWORD_HASHES = 2
MAX_PASSWORD_WAITERS = 60
MAX_FORM_BYTES = 16 * 1024
# Of a page that a person comes back to after they have signed in; the longest is an AI client's request.
MAX_NEXT_PATH_CHARACTERS = 8_000
AUDIT_RETENTION = timedelta(days=400)

# Of calls with a bot key, which hold no articles.
MAX_VISITOR_BODY_BYTES = 64 * 1024
# A browser asks again afterwards whether it may send.
PREFLIGHT_CACHE_SECONDS = 600
MAX_ORIGINS = 50
MAX_EMAIL_CHARACTERS = 254
MAX_VISITOR_MESSAGE_CHARACTERS = 2_000
# Of one bot in an hour, whoever leaves them.
LEADS_PER_HOUR = 200

MAX_QUESTION_CHARACTERS = 2_000
MAX_QUESTION_EXAMPLES = 5
# As callers name one; only a hash of it is kept.
MAX_VISITOR_CHARACTERS = 200
MAX_PAGE_URL_CHARACTERS = 2_000
MAX_VISITOR_TOKEN_CHARACTERS = 8_192
VISITOR_TOKEN_LEEWAY_SECONDS = 60
# Of the turns before, as far as a question may refer to them.
MAX_EARLIER_QUESTIONS = 3
# What the search finds for a question; of those, what an answer may be made of.
MAX_PASSAGES_RETRIEVED = 8
MAX_ANSWER_PASSAGES = 4
# The chance that the articles hold the answer, as the search sees it, from which on there is one.
ANSWER_THRESHOLD = 0.45
# In words, about: of what an answer takes from the best passage, and of a list in it, which is better whole.
MAX_ANSWER_WORDS = 60
MAX_ANSWER_LIST_WORDS = 260
# Of a day's tokens of a bot the share that visitors' questions may use, so that tasks are left some.
ANSWERS_BUDGET_SHARE = 0.5
MAX_ANSWER_TOKENS = 1_000
# While nothing can be told yet: proxies end connections that are silent for a minute.
STREAM_HEARTBEAT_SECONDS = 10
CONVERSATION_RETENTION = timedelta(days=180)
# Of a word of a question, as far as it is compared.
MAX_TERM_CHARACTERS = 100
MAX_NEAREST_ARTICLES = 5
# A question that so many different visitors asked in vain gets a draft of an article; of those of a bot so
# many wait for review at once. While one waits, new wordings are taken in after a pause.
MIN_GAP_VISITORS = 3
MAX_PENDING_GAP_DRAFTS = 50
GAP_DRAFT_REFRESH_DELAY = timedelta(hours=1)
PAUSED_GAP_RETRY_DELAY = timedelta(hours=1)
# What visitors wrote who asked in vain and then for a person: as many notes, each as long.
MAX_GAP_NOTES = 3
MAX_GAP_NOTE_CHARACTERS = 300
# What a new article may be made from: passages for each wording that is searched for, and topics of its
# instructions that are searched for.
MAX_SOURCES_PER_WORDING = 5
MAX_TOPICS_SEARCHED = 100
# Of one bot. They are all asked in one run.
MAX_GOLDEN_QUESTIONS = 500
# Of the warnings beside an answer, which stand in a header.
MAX_WARNINGS = 10
# Of the lines that an overwrite takes away: how many such a warning quotes, and characters of each.
OVERWRITTEN_LINES_TOLD = 3
OVERWRITTEN_LINE_TOLD = 60
# Ids of other drafts of the same article that a draft's detail names.
OTHER_DRAFTS_TOLD = 5
# How long it is remembered that somebody asked a question, as counted from when it was asked.
QUESTION_LOG_RETENTION = timedelta(days=180)
# The share of their terms that two questions of the same meaning have in common.
MIN_SAME_QUESTION_OVERLAP = 0.66
# Of one code in one article: what is told of it, and what counts for its score.
MAX_REPORTED_PROBLEMS_PER_CODE = 20
MAX_SCORED_PROBLEMS_PER_CODE = 3
# In characters without blanks; a sign of a script without blanks counts as three.
SHORT_TEXT_CHARACTERS = 100
MAX_CHARACTERS_WITHOUT_HEADINGS = 3_000
MAX_LINKS_CHECKED = 500
# Shorter texts are not compared; two that share as much of theirs say nearly the same.
MIN_COMPARED_WORDS = 40
MIN_DUPLICATE_SIMILARITY = 0.8
STALE_EDIT_AGE = timedelta(days=14)
# Judgements of answers tell of their articles: those of so many days, when so many are bad, and such a share.
FEEDBACK_WINDOW = timedelta(days=90)
MIN_UNHELPFUL_RATINGS = 3
MIN_UNHELPFUL_SHARE = 0.5
# For how long it counts that a code change removed a name.
REMOVED_NAME_RETENTION = timedelta(days=180)
MAX_ANALYZED_CHARACTERS = 300_000
MAX_ANALYSIS_SECONDS = 6
# While a request holds a connection, so neither long nor by many at once in one process.
CHECK_SECONDS = 20
MAX_CONCURRENT_CHECKS = 2
CHECK_RETRY_SECONDS = 5
# What a process remembers of articles that it has examined: bytes, about, and problems found.
MAX_ANALYSIS_CACHE_BYTES = 30_000_000
MAX_CACHED_PROBLEMS = 50_000

MAX_RENDER_SECONDS = 2
# Of Markdown, for what takes its renderer longer the more of it there is: containers (quotes, lists,
# footnotes) in each other; then of a text: list items, headings, headings that are alike, columns of a table,
# cells of tables, footnote marks, signs `&`.
MAX_NESTING = 30
MAX_LIST_ITEMS = 50_000
MAX_HEADINGS = 10_000
MAX_EQUAL_HEADINGS = 1_000
MAX_TABLE_COLUMNS = 500
MAX_TABLE_CELLS = 50_000
MAX_FOOTNOTE_MARKS = 10_000
MAX_AMPERSANDS = 20_000
# Signs `@` in one line, and closing parentheses in an address that becomes a link by itself.
MAX_LINE_ADDRESSES = 1_000
MAX_LINK_PARENTHESES = 2_000
# HTML tags of authors that are open at once, and attributes of one tag.
MAX_OPEN_TAGS = 200
MAX_ATTRIBUTES = 100
MAX_DIFF_SECONDS = 2
# How soon a task of a paused workspace looks again.
PAUSED_TASK_RETRY_DELAY = timedelta(seconds=30)
# While a request waits for it, so shorter than the writer may take afterwards.
MAX_DIFF_PARSE_SECONDS = 10
MAX_WRITER_SECONDS = 60
# Above this size text is rendered and compared in a process that can be killed.
MAX_INLINE_CHARACTERS = 64_000
# A diff with a longer line is read there, too.
INLINE_LINE_CHARACTERS = 4_000
# A process that works on what strangers sent: memory beyond what it has when its first work begins.
WORK_MEMORY_BYTES = 512 * 1024 * 1024
# Pieces of expensive work of one workspace that wait for a place in one process, and when to ask again.
WORK_WAITING = 20
WORK_RETRY_SECONDS = 5
# Jobs of one workspace that one worker runs at once: half of its places.
WORKSPACE_JOBS = 5
# How often one transaction ends and runs anew because expensive work has to be done first.
RESTARTS = 50

# Of the answer of a language model, with all that frames it; then of the answer in tokens.
MAX_COMPLETION_BYTES = 512 * 1024
MAX_COMPLETION_TOKENS = 8_000
# After an answer that tells of too many questions or of a fault.
MAX_MODEL_RETRIES = 2
MODEL_RETRY_SECONDS = 2.0
# A provider that asks to wait longer is left alone.
MAX_MODEL_RETRY_SECONDS = 20.0
MAX_MODEL_ARTICLES = 5
MAX_MODEL_EDITS = 30
MODEL_CHECK_SECONDS = 20
MODEL_USAGE_RETENTION = timedelta(days=400)

# Of an endpoint of embeddings: vectors of one call, numbers of one vector, and how long a batch may take.
MAX_EMBEDDINGS_BYTES = 16 * 1024 * 1024
MAX_VECTOR_DIMENSIONS = 4_000
EMBEDDING_SECONDS = 60.0
# A search waits no longer for the vector of its question; after a failure the next ones do without.
QUERY_EMBEDDING_SECONDS = 1.5
EMBEDDING_BREAKER_SECONDS = 30.0
MAX_CACHED_QUERY_EMBEDDINGS = 2_000
MAX_CONCURRENT_QUERY_EMBEDDINGS = 3
# What one vector is made of: about 120 English words, or 240 characters of Chinese.
CHUNK_BYTES = 720
# Of the articles nearest in meaning, which a cursor carries.
MAX_SEMANTIC_HITS = 30
# How long changes may wait for their vectors until `instep doctor` calls it a problem.
MAX_EMBEDDING_LAG_SECONDS = 900

# Of `instep change`: of one run of git, and of one request until it is answered.
GIT_SECONDS = 120
API_CALL_SECONDS = 60
# For how long a request is repeated while the server can't be reached or is busy.
API_RETRY_SECONDS = 90
MAX_API_RETRY_PAUSE_SECONDS = 15
# The same of a person who waits at a terminal, in `instep draft`.
REVIEW_PATIENCE_SECONDS = 5
# Between two looks at a task: at first, and in the end.
MIN_POLL_SECONDS = 0.5
MAX_POLL_SECONDS = 10.0
TASK_WAIT_SECONDS = 300
# Of what it tells: drafts, lines of the diff of one, characters of such a line, files that are not sent.
MAX_REPORTED_DRAFTS = 50
MAX_REPORTED_DIFF_LINES = 60
MAX_REPORTED_LINE_CHARACTERS = 300
MAX_REPORTED_SKIPPED_FILES = 20
# GitHub takes a megabyte of a step.
MAX_SUMMARY_BYTES = 900_000
