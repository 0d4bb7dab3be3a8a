"""The choice of a product version: links to a page in each, and articles that a version lacks."""

from dataclasses import dataclass

from instep.interfaces.site import queries
from instep.interfaces.site.schemas import ArticlePage, article_url, root_path
from instep.interfaces.site.visits import Moved, Visit, with_version
from instep.platform.identity.schemas import Bot, ReadVersion


@dataclass(frozen=True, slots=True)
class VersionLink:
    """The same page in a product version."""

    version: ReadVersion
    path: str
    is_chosen: bool


def version_links(visit: Visit, locale: str, rest: str) -> list[VersionLink]:
    """Links to the page in every version, the newest first; `rest` is its path below the language."""
    bot, below = visit.ctx.bot, rest or "/"
    return [
        VersionLink(version, root_path(bot.in_version(version), locale) + below, version == bot.version)
        for version in (visit.arrival.read_versions if bot.version else [])
    ]


def is_unreleased(visit: Visit) -> bool:
    """True if the visitor reads a version after the current one."""
    version = visit.version
    return version is not None and any(
        other.is_current and other.position < version.position for other in visit.arrival.read_versions
    )


async def article_of_other_versions(
    visit: Visit, slug: str, locale: str, extension: str = ""
) -> ArticlePage | None:
    """The article at an address if the visit's version lacks it; None if no version has it.

    If that version has another article on the topic, its address is raised as `Moved`.
    """
    if visit.version is None:
        return None
    if counterpart := await queries.find_counterpart(visit.ctx, slug, locale):
        raise Moved(article_url(visit.ctx.bot, locale, counterpart) + extension, is_permanent=False)
    return await queries.find_live_article(with_version(visit.ctx, None), slug, locale)


def canonical_bot(visit: Visit, versions: list[ReadVersion]) -> Bot:
    """The help center in the version with the canonical page of an article that is about `versions`.

    That is the current version, else the version of the visit, else the newest.
    """
    ranked = sorted(versions, key=lambda version: (not version.is_current, version != visit.version))
    return visit.ctx.bot.in_version(ranked[0]) if ranked else visit.ctx.bot
