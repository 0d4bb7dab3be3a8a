"""Limits of HTTP connections, of requests and their rates, in and out, and of a replica."""

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
# File descriptors reserved for the database, jobs, outgoing requests and files.
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
# Keys whose workspace and bot a process caches; each takes about 1 KB.
MAX_RECENT_KEYS = 5_000
MAX_TASK_BODY_BYTES = 12 * 1024 * 1024

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
DAY_SECONDS = 86_400
# Calls to the visitor API, per visitor of a bot, and per client address.
VISITOR_CALLS_PER_MINUTE = 30
VISITOR_ADDRESS_CALLS_PER_MINUTE = 120
# Read requests of a widget (texts, articles, and a search after each pause in typing), per client address:
# the people in an office may share one.
WIDGET_READS_PER_MINUTE = 600

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

# A replica of the database, if there is one.
# How long a page waits for a connection to the replica.
REPLICA_WAIT_SECONDS = 0.5
# How long a replica that does not answer is not used.
REPLICA_REST_SECONDS = 10.0
