"""The versions of the product that a draft or a place changes, for its page."""

from instep.content.articles.splitting import Reach, read_reach
from instep.content.articles.texts import find_article
from instep.content.product_versions.schemas import named
from instep.platform.core.errors import InvalidState, NotFound
from instep.platform.identity.schemas import Ctx


async def find_reach(ctx: Ctx, article_id: str, version_id: str | None) -> Reach | None:
    """The versions that keep another text than those that a change reaches; None if all get the same."""
    if version_id is None:
        return None
    try:
        reach = await read_reach(ctx, await find_article(ctx, article_id), version_id)
    except (InvalidState, NotFound):
        return None
    return reach if reach.others else None


def reached_words(reach: Reach | None, version: str) -> str:
    """The versions that a change reaches, which is for one of them: `versions 2.x and 3.0`."""
    if reach is None or len(reach.versions) == 1:
        return f"version {version}"
    return f"versions {named(reach.versions)}"


def kept_words(reach: Reach) -> str:
    """The versions that keep their text, as the beginning of a sentence: `1.x keeps its text`."""
    verb = "keeps its text" if len(reach.others) == 1 else "keep their text"
    return f"{named(reach.others)} {verb}"
