"""Every kind of email, with the longest and strangest texts it may contain."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from instep.accounts.people.letters_to_people import (
    former_address_letter,
    invitation_letter,
    new_address_letter,
    provider_letter,
    reset_letter,
    sign_in_letter,
)
from instep.drafting.drafts.digest import REPORTER, NewItems
from instep.drafting.drafts.email_digest import DigestReader, digest_letter
from instep.notifications.alerts.alert_addresses import alert_address_letter, alert_letter
from instep.notifications.alerts.messages import clean_message
from instep.notifications.inbox.notice_letters import letter_of
from instep.notifications.inbox.schemas import NoticeKind, NoticeSubject
from instep.platform.core.clock import utc_now
from instep.platform.email.letters import Letter, trial_letter
from instep.platform.identity.schemas import Bot
from instep.visitors.subscriptions.reader_letters import confirmation_letter, news_letter
from instep.visitors.subscriptions.schemas import NewsItem, Topic

SITE = "https://help.nordwind.example"
LINK = f"{SITE}/app/invitation?token={'a1B2c3D4' * 5}"
OLGA = "olga@nordwind.example"
COMPANY = "Nordwind, a company with a name that is longer than a line"
TITLE = "Sending attachments by email"
COMMENT = "@anna Is the limit the same for everyone? I can't find the plan that it is about."
SOURCES = [
    NewItems("#482 Raise the upload limit to 50 MB", 3, 1, "edit_1"),
    NewItems("Backfill of the last 30 days", 1_204, 0, "edit_2"),
]
QUESTION = ["Ada Lovelace <ada@example.com>", "Where do I change the address on my invoices?", "Plan: Pro"]


def bot(locale: str) -> Bot:
    return Bot(UUID(int=1), "ws_1", "nordwind", "Nordwind Help", locale)


def notice(
    kind: NoticeKind, excerpt: str | None = None, by_name: str = OLGA, others: int = 0
) -> Callable[[str], Letter]:
    subject = NoticeSubject("edit_1", TITLE, others)
    return lambda locale: letter_of(bot(locale), kind, subject, by_name, excerpt)


def digest(locale: str) -> Letter:
    reader = DigestReader("ws_1", "per_1", OLGA, "weekly")
    return digest_letter(locale, reader, [(bot(locale), SOURCES)])


def alert(locale: str) -> Letter:
    message = clean_message("A visitor asks for a person", QUESTION, f"{SITE}/app/nordwind/conversations/1")
    return alert_letter(locale, message, "ada@example.com", f"{SITE}/email/unsubscribe?token={'e' * 120}")


def subscription(locale: str) -> Letter:
    return confirmation_letter(bot(locale), Topic(TITLE, "art_1"), locale, "a1B2c3D4" * 5)


def news(locale: str) -> Letter:
    item = NewsItem(
        "ada@example.com", locale, False, "limits", TITLE, False, "What is scanned\nOther limits", 9
    )
    return news_letter(bot(locale), [item, replace(item, is_first=True), replace(item, is_entry=True)])


LETTERS: dict[str, Callable[[str], Letter]] = {
    "invitation": lambda locale: invitation_letter(locale, COMPANY, OLGA, LINK),
    "invitation-by-an-operator": lambda locale: invitation_letter(locale, "Nordwind", None, LINK),
    "forgotten-password": lambda locale: reset_letter(locale, LINK),
    "provider": lambda locale: provider_letter(locale, LINK),
    "new-address": lambda locale: new_address_letter(locale, LINK),
    "former-address": lambda locale: former_address_letter(locale, OLGA),
    "sign-in": lambda locale: sign_in_letter(locale, "Firefox on Windows", "203.0.113.7", utc_now()),
    "assignment": notice("assigned"),
    "mention": notice("mentioned", COMMENT),
    "reminder": notice("waiting", by_name=REPORTER.name, others=3),
    "expiry": notice("expiring", by_name=REPORTER.name, others=1),
    "digest": digest,
    "confirmation-of-alerts": lambda locale: alert_address_letter(locale, "Nordwind Help", OLGA, LINK),
    "alert": alert,
    "confirmation-of-a-subscription": subscription,
    "news": news,
    "test": trial_letter,
}
