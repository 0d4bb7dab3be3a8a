"""Limits of the pages of a help center."""

from datetime import timedelta

# The pages of a help center.
# The home page of a help center: top collections per page, articles shown for each, and articles
# without a collection.
HOME_COLLECTIONS = 50
HOME_ARTICLES = 6
HOME_LOOSE_ARTICLES = 12
# Articles on one page of a collection, and pages of any list.
COLLECTION_ARTICLES = 100
# The tree next to a text: its collections, and articles before and after the current one.
TREE_COLLECTIONS = 200
TREE_NEIGHBOURS = 30
MAX_SITE_PAGES = 10_000
# Rendered pages that a process caches, including compressed copies, and the longest one that it caches.
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
# Titles suggested in the browser's own search field.
SITE_SUGGESTIONS = 8
RELATED_ARTICLES = 3
MAX_CACHED_RELATED_ARTICLES = 20_000
# Locales whose words and names a process caches.
MAX_CATALOGUES = 64
# Characters of answers that an FAQ article repeats for search engines.
MAX_FAQ_CHARACTERS = 4_000
# Bytes of link preview images that a process caches, and images that it draws concurrently.
MAX_CARDS_BYTES = 16 * 1024 * 1024
MAX_CONCURRENT_CARDS = 2
# Languages linked from the pages of a help center.
MAX_SITE_LANGUAGES = 40
# Results on one page of the help center's search.
SITE_PAGE_ROWS = 10
# Searches of one help center, per client address.
SITE_SEARCHES_PER_MINUTE = 120
# How long a form of the public site can be sent, and the minimum time to fill it in.
SITE_FORM_TTL_SECONDS = 86_400
MIN_SITE_FORM_SECONDS = 2
# How long a process caches whether a host is a custom domain, and for how many hosts.
CUSTOM_DOMAIN_CACHE_SECONDS = 5
MAX_CACHED_HOSTS = 10_000
# How often a claimed host name is looked up, and when the claim expires without a record that proves it.
DOMAIN_CLAIM_CHECK_SECONDS = 300
DOMAIN_CLAIM_TTL = timedelta(days=14)
# How often a verified host name is looked up, and how long its record may be missing.
DOMAIN_CHECK_HOURS = 6
DOMAIN_GRACE_DAYS = 3
MAX_DOMAINS_CHECKED_AT_ONCE = 50
# Lookups of a host name requested by the owners of one help center.
DOMAIN_CHECKS_PER_MINUTE = 10
# Accent colors whose styles a process caches.
MAX_CACHED_ACCENTS = 1_000
# Links, labels, addresses and legal lines around the pages of a help center.
MAX_HEADER_LINKS = 5
MAX_FOOTER_LINKS = 12
MAX_FRAME_LABEL_CHARACTERS = 40
MAX_FRAME_URL_CHARACTERS = 500
MAX_LEGAL_CHARACTERS = 500
# A token in a sign-in URL is short-lived, because URLs stay in histories and logs.
MAX_SIGN_IN_TOKEN_SECONDS = 600
# How long a visitor stays signed in to a help center.
VISITOR_SESSION_SECONDS = 12 * 3600
# Versions in the feed of an article or a collection, and headings that one of them names.
MAX_FEED_VERSIONS = 30
MAX_CHANGED_SECTIONS = 10
