"""The emails to people who are asked for a review, reminded of one, or mentioned in a comment."""

from instep.notifications.inbox.schemas import NoticeKind, NoticeSubject, page_of_notice
from instep.platform.core.config import settings
from instep.platform.email.letters import Letter, name_in_email
from instep.platform.identity.schemas import Bot
from instep.platform.web.catalogues import catalogue_of, message

# The notices that are also sent by email.
SENTENCES: dict[NoticeKind, str] = {
    "assigned": message("%(name)s asked you to review “%(title)s”."),
    "mentioned": message("%(name)s mentioned you in a comment on “%(title)s”."),
    "waiting": message("%(name)s reminds you to review “%(title)s”."),
    "expiring": message("%(name)s will soon dismiss “%(title)s”, because nobody has decided on it."),
}


def letter_of(
    bot: Bot, kind: NoticeKind, subject: NoticeSubject, by_name: str, excerpt: str | None
) -> Letter:
    """The letter in the language of `bot`; `excerpt` is the beginning of a comment."""
    catalogue = catalogue_of(bot.locale)
    values = {"name": name_in_email(by_name), "title": name_in_email(subject.title)}
    sentence = catalogue.gettext(SENTENCES[kind], **values)
    more = catalogue.ngettext(
        "It is also about %(number)s more draft or place.",
        "It is also about %(number)s more drafts and places.",
        subject.others,
    )
    url = f"{settings().base_url}/app/{bot.slug}/{page_of_notice(kind, subject.id)}"
    paragraphs = [*filter(None, [excerpt]), *([more] if subject.others else [])]
    return Letter(sentence.rstrip("."), paragraphs, (catalogue.gettext("Open in Instep"), url))
