"""The emails to readers who follow a help center: the link that confirms it, and the digest of news."""

from collections.abc import Sequence

from instep.content.articles.paths import path_of_article, path_of_locale
from instep.platform.email.letters import Letter, LetterItem, name_in_email
from instep.platform.email.unsubscribing import unsubscribe_token
from instep.platform.identity.schemas import Bot, ReadVersion
from instep.platform.web.catalogues import catalogue_of
from instep.visitors.subscriptions.schemas import NewsItem, Topic

CONFIRM = "/subscriptions/confirm"
SUBSCRIPTIONS = "/subscriptions"


def confirmation_letter(bot: Bot, topic: Topic, locale: str, token: str) -> Letter:
    _ = catalogue_of(locale).gettext
    title, name = name_in_email(topic.title or _("Changelog")), name_in_email(bot.name)
    return Letter(
        _("Confirm that you want to follow “%(title)s”", title=title),
        [
            _("Someone, probably you, asked to follow “%(title)s” in %(name)s.", title=title, name=name),
            _("After you confirm, you get at most one email a day, only when there is news."),
        ],
        (_("Confirm"), f"{home_in(bot, locale)}{CONFIRM}?token={token}"),
        footnotes=[
            _("This link works once, for seven days."),
            _("If you don't know why you got this email, you can ignore it."),
        ],
        home=(name, f"{home_in(bot, locale)}/"),
    )


def news_letter(bot: Bot, news: Sequence[NewsItem]) -> Letter:
    """The digest of one reader in one language; at least one item."""
    email, locale, left_out = news[0].email, news[0].locale, news[0].count - len(news)
    _, ngettext = catalogue_of(locale).gettext, catalogue_of(locale).ngettext
    name, home = name_in_email(bot.name), home_in(bot, locale)
    more = ngettext("%(number)s more page has changed.", "%(number)s more pages have changed.", left_out)
    return Letter(
        _("What's new in %(name)s", name=name),
        [_("News on the pages you follow:")],
        items=[letter_item(bot, item) for item in news],
        footnotes=[*([more] if left_out else []), _("You get at most one such email a day.")],
        unsubscribe=f"{home}{SUBSCRIPTIONS}?token={subscriber_token(bot, email)}",
        home=(name, f"{home}/"),
    )


def letter_item(bot: Bot, item: NewsItem) -> LetterItem:
    if item.is_entry:
        url = f"{home_in(bot, item.locale)}/changelog/{item.slug}"
        return LetterItem(name_in_email(item.title), catalogue_of(item.locale).gettext("Changelog"), url)
    detail = change_summary(item.locale, item.sections.split("\n"), is_first=item.is_first)
    bot = bot.in_version(ReadVersion(**item.other_version) if item.other_version else None)
    url = bot.help_url + path_of_article(bot.locale, item.locale, item.slug)
    return LetterItem(name_in_email(item.title), detail, url)


def change_summary(locale: str, sections: Sequence[str], *, is_first: bool) -> str:
    """The words for what changed in an article."""
    _ = catalogue_of(locale).gettext
    if is_first:
        return _("New article")
    names = " · ".join(dict.fromkeys(filter(None, sections)))
    return _("Changed: %(sections)s", sections=names) if names else _("The text has changed.")


def subscriber_token(bot: Bot, email: str) -> str:
    """A token for the reader's subscriptions to this help center; it names no one to others."""
    return unsubscribe_token("topics", bot.workspace_id, f"{bot.id} {email}")


def home_in(bot: Bot, locale: str) -> str:
    return bot.help_url + path_of_locale(bot.locale, locale)
