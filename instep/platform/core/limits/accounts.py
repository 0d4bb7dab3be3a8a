"""Limits of people who sign in, of OAuth clients and of CI jobs."""

from datetime import timedelta

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
# Time for the second step of signing in, or for a passkey challenge.
CHALLENGE_TTL = timedelta(minutes=10)
# Sign-ins with the OpenID provider in progress in one browser; older ones must start again.
MAX_OIDC_TABS = 8
# Codes tried in the second step, per person or per browser known to them.
MAX_SECOND_FACTOR_TRIES = 10
SECOND_FACTOR_WINDOW_SECONDS = 900
# Passkeys per person, and characters in a passkey's name.
MAX_PASSKEYS = 20
MAX_PASSKEY_NAME_CHARACTERS = 60
# Documents of an OpenID provider in bytes, and the allowed difference of its clock in seconds.
MAX_OIDC_DOCUMENT_BYTES = 64 * 1024
OIDC_LEEWAY_SECONDS = 60
# Codes per set, each for one use.
RECOVERY_CODES = 10
# Lifetime of an invitation link, and of a link that signs in or sets up the installation.
INVITATION_TTL = timedelta(days=7)
SETUP_LINK_TTL = timedelta(hours=24)
# Lifetime of a link in an email that sets a new password or confirms a new address.
RESET_LINK_TTL = timedelta(hours=1)
# Links to set a new password per account and hour; further requests are dropped.
MAX_RESETS_PER_ACCOUNT = 3
# New addresses that one person enters per hour.
MAX_NEW_ADDRESSES = 5
# Invitations by email per day: to one address, and of one workspace. Further ones are links only.
MAX_INVITATION_EMAILS_TO_ADDRESS = 5
MAX_INVITATION_EMAILS = 100
# Open invitations per workspace.
MAX_INVITATIONS = 100
# Sign-ins from a browser that has signed in to the account before, and how long it stays known.
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

# OAuth clients: registrations and requests.
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
# Instances of an app that share a refresh token may send it at the same time: within this time after the
# first use, they get the same response; a later use ends the connection.
REFRESH_TOKEN_REUSE_TTL = timedelta(seconds=30)
# A registered client that is not used is deleted after this time.
UNUSED_APP_RETENTION = timedelta(days=30)
# Connections per person; a new one replaces the least recently used one.
MAX_CONNECTIONS_PER_PERSON = 50
# Per client address: registrations, and calls to the token and revocation endpoints.
REGISTRATIONS_PER_HOUR = 20
REGISTRATION_WINDOW_SECONDS = 3_600
TOKEN_CALLS_PER_MINUTE = 120
# Per person: fetches of client ID metadata documents.
CLIENT_METADATA_FETCHES_PER_MINUTE = 30

# Trusts of CI jobs.
MAX_TRUSTS_PER_WORKSPACE = 100
# Claims per trust, and characters in a claim's name or value, an issuer or an audience.
MAX_TRUST_CLAIMS = 20
MAX_CLAIM_CHARACTERS = 500
MAX_ISSUER_CHARACTERS = 500
# Characters and maximum age of an ID token: none is issued for a longer job.
MAX_ID_TOKEN_CHARACTERS = 12_000
ID_TOKEN_MAX_AGE = timedelta(hours=24)
TRUST_TOKEN_TTL = timedelta(minutes=15)
# Exchanges per trust.
TOKEN_EXCHANGES_PER_MINUTE = 60
# Documents and keys of an issuer, in bytes, and issuers whose keys a process caches.
MAX_ISSUER_DOCUMENT_BYTES = 256 * 1024
MAX_CACHED_ISSUERS = 100
ISSUER_KEYS_TTL = timedelta(minutes=10)
# For a token with an unknown key, the keys are fetched again if they are at least this old.
MIN_ISSUER_KEYS_AGE = timedelta(seconds=30)
