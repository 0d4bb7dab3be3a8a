"""Limits of webhooks, of alerts to chat tools, and of email."""

from datetime import timedelta

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

# Email.
# Everything from the connection to the server's answer.
EMAIL_SECONDS = 30
# An email is given up after this many attempts, about three hours after the first: servers that know no
# sender yet refuse them for some minutes, and a server may be restarted.
MAX_EMAIL_ATTEMPTS = 8
# Parts of an email that people have written: a name, a title, a subject.
MAX_EMAIL_NAME_CHARACTERS = 80
MAX_EMAIL_SUBJECT_CHARACTERS = 120
# The server's answer in an error.
MAX_SMTP_ANSWER_CHARACTERS = 300
# Test emails of one person.
TEST_EMAILS_PER_HOUR = 10

MAX_NOTICE_EXCERPT_CHARACTERS = 200
# Emails about assignments and mentions to one address; the inbox has all of them.
MAX_NOTICE_EMAILS_PER_HOUR = 30
# Emails that were not delivered: how long their reasons are kept, and how many a page lists.
UNDELIVERED_EMAIL_RETENTION = timedelta(days=30)
MAX_LISTED_UNDELIVERED_EMAILS = 100

# Readers who follow a help center by email.
# The lifetime of the link that confirms a subscription.
SUBSCRIPTION_LINK_TTL = timedelta(days=7)
# Requests for such links by one client address.
SUBSCRIPTION_REQUESTS_PER_HOUR = 20
# Such links of one help center, and links to one email address.
SUBSCRIPTION_LINKS_PER_HOUR = 200
SUBSCRIPTION_LINKS_PER_ADDRESS_PER_HOUR = 5
# Subscriptions on the page of a reader.
MAX_SHOWN_SUBSCRIPTIONS = 200
# Pages and entries in one digest.
MAX_DIGEST_NEWS = 20
# Older news is left out, such as after an outage.
NEWS_AGE = timedelta(days=7)
# Readers whose digests one transaction makes.
MAX_DIGESTS_AT_ONCE = 100
