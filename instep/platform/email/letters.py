"""A letter: the parts of an email in the reader's language, and the message in text and HTML."""

from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid, parseaddr
from functools import cache
from pathlib import Path

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.settings import Settings
from instep.platform.text.characters import in_one_line, shorten
from instep.platform.web.catalogues import Catalogue, catalogue_of, page_language
from instep.platform.web.pages import Pages

TEMPLATES = Path(__file__).parent / "templates"
# Python encodes a field that it can't fold, such as a long URL, so that mail programs can't read it.
UNFOLDED = SMTP.clone(max_line_length=900)


@dataclass(frozen=True, slots=True)
class LetterItem:
    """A line of a list, such as a draft that waits; `detail` and `url` may be empty."""

    title: str
    detail: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Letter:
    """The parts of an email; texts are data, and both forms of the message escape them.

    `button` are the words of the main link and its URL. `reply_to` gets the answers, and `unsubscribe` is a
    URL that ends such emails at once when a mail program posts to it (RFC 8058). `home` is the name and
    URL of the sending site, if it is not this installation.
    """

    subject: str
    paragraphs: Sequence[str]
    button: tuple[str, str] | None = None
    items: Sequence[LetterItem] = ()
    footnotes: Sequence[str] = ()
    reply_to: str | None = None
    unsubscribe: str | None = None
    home: tuple[str, str] | None = None


def name_in_email(text: str) -> str:
    """A name or title that someone has written, short and in one line."""
    return shorten(in_one_line(text), limits.MAX_EMAIL_NAME_CHARACTERS)


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message as it is sent: addresses, and the text in ASCII with its headers."""

    sender: str
    to: str
    message_id: str
    text: str


def envelope_of(settings: Settings, to: str, letter: Letter, locale: str) -> Envelope:
    """The message to one address, in the language of the locale; its id stays the same at every attempt."""
    _, sender = parseaddr(settings.email_from or "")
    message = EmailMessage(SMTP)
    catalogue = catalogue_of(locale)
    message.set_content(render(settings, "email.txt", letter, catalogue), cte="base64")
    message.add_alternative(render(settings, "email.html", letter, catalogue), subtype="html", cte="base64")
    message["From"] = settings.email_from
    message["To"] = to
    message["Subject"] = shorten(in_one_line(letter.subject), limits.MAX_EMAIL_SUBJECT_CHARACTERS)
    message["Date"] = format_datetime(utc_now())
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    # Programs that answer for people on holiday don't answer this (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    if letter.reply_to:
        message["Reply-To"] = letter.reply_to
    if letter.unsubscribe:
        message["List-Unsubscribe"] = f"<{letter.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return Envelope(sender, to, message["Message-ID"], message.as_string(policy=UNFOLDED))


def render(settings: Settings, template: str, letter: Letter, catalogue: Catalogue) -> str:
    locale = catalogue.locale
    home = letter.home or ("Instep", settings.base_url)
    values = {
        "letter": letter,
        "home": home,
        "language": str(locale).replace("_", "-"),
        "direction": locale.text_direction,
    }
    return templates_in(page_language(locale.language)).html_of(template, **values).decode()


@cache
def templates_in(language: str) -> Pages:
    return Pages.below(TEMPLATES, language=language)


def trial_letter(locale: str) -> Letter:
    """The letter with which an owner tests the server."""
    _ = catalogue_of(locale).gettext
    return Letter(
        _("Test email from Instep"), [_("Instep can send email: the server accepted this message.")]
    )
