"""The emails to people who are asked for a review or mentioned in a comment."""

from instep.notifications.inbox.schemas import NoticeKind, NoticeSubject, page_of_subject
from instep.platform.core.config import settings
from instep.platform.email.letters import Letter, name_in_email
from instep.platform.identity.schemas import Bot
from instep.platform.web.catalogues import catalogue_of


def letter_of(
    bot: Bot, kind: NoticeKind, subject: NoticeSubject, by_name: str, excerpt: str | None
) -> Letter:
    """The letter in the language of `bot`; `excerpt` is the beginning of a comment."""
    _ = catalogue_of(bot.locale).gettext
    values = {"name": name_in_email(by_name), "title": name_in_email(subject.title)}
    sentence = (
        _("%(name)s asked you to review “%(title)s”.", **values)
        if kind == "assigned"
        else _("%(name)s mentioned you in a comment on “%(title)s”.", **values)
    )
    url = f"{settings().base_url}/app/{bot.slug}/{page_of_subject(subject.id)}"
    return Letter(sentence.rstrip("."), [excerpt] if excerpt else [], (_("Open in Instep"), url))
