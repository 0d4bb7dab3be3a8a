"""Finds sentences about another product, whose buttons and menus are not ours."""

import re

from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.articles.passages import sentence_around
from instep.drafting.writer.shapes import Article

# Products that other companies' help centers give instructions for.
_WIDESPREAD_NAMES = """
    Acrobat Android Asana Auth0 Azure Bitbucket Calendly Chrome Cloudflare ClickUp Confluence Discord
    Dropbox Edge Excel Facebook Figma Firefox GitHub GitLab Gmail GoDaddy Google HubSpot Instagram iOS
    iPhone Jira LinkedIn Linear Mailchimp Microsoft Notion Okta OneDrive OneLogin Opera Outlook PayPal
    PowerPoint QuickBooks Safari Salesforce Shopify Slack Squarespace Stripe Teams Telegram Thunderbird
    Trello Twilio Twitter WhatsApp Windows Wix WordPress Xero YouTube Zapier Zendesk Zoom
"""
_NAMES = "|".join(_WIDESPREAD_NAMES.split())
_UPPER_CASE_NAMES = frozenset((*_WIDESPREAD_NAMES.upper().split(), "AWS", "DOCKER", "XDG"))
_IN_PRODUCT = re.compile(
    rf"\b(?:[Ii]n|[Oo]n|[Oo]pen|[Ff]rom|[Ii]nside|[Uu]nder)\s+(?:the\s+|your\s+)?(?P<name>{_NAMES})\b(?!\*)"
    rf"|\b(?P<owner>{_NAMES})['\u2019]s\s"
)
# If more articles name a product, ours is integrated with it, and its buttons may be ours.
_MAX_OTHERS, _MAX_SHARE = 3, 0.25


def other_product_at(article: Article, start: int, end: int, corpus: Corpus) -> str | None:
    """The product whose interface the sentence at this span gives instructions for."""
    first, last = sentence_around(article.text, start, end)
    match = _IN_PRODUCT.search(article.text, first, last)
    name = (match["name"] or match["owner"]) if match else None
    return name if name and not _is_ours(name, corpus) else None


def is_variable_of_another(name: str) -> bool:
    """True if the first word of a variable of the environment names another product: `GOOGLE_CREDENTIALS`."""
    owner, separator, _ = name.partition("_")
    return bool(separator) and name.isupper() and owner in _UPPER_CASE_NAMES


def _is_ours(name: str, corpus: Corpus) -> bool:
    return corpus.document_frequency(name) > max(_MAX_OTHERS, _MAX_SHARE * len(corpus.articles))
