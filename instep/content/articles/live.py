"""SQL: the articles that visitors may read."""

from instep.content.collections.visibility import ANCESTORS, IS_PUBLIC
from instep.platform.identity.queries import READ_VERSION
from instep.platform.identity.schemas import Ctx

# Published articles of every visibility, for signed-in visitors (contract section 10).
LIVE_TO_SIGNED_IN = f"""
    from articles a
    left join collections c on c.workspace_id = %(workspace)s and c.id = a.collection_id
    {ANCESTORS}
    where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
      and a.status = 'published' and a.deleted_at is null
"""
# Articles that everyone may read. The strictest of article, collection and its ancestors applies (contract
# sections 4 and 10).
LIVE = f"""{LIVE_TO_SIGNED_IN}
      and a.visibility = 'public' and {IS_PUBLIC}
"""
# The language in which the help center shows untranslated articles, if it does.
FALLBACK_LOCALE = """select b.locale from bots b
    where b.id = %(bot)s and b.workspace_id = %(workspace)s and b.frame ->> 'shows_untranslated' = 'true'"""
# The id of the family of an article: articles about one topic, for different versions of the product.
FAMILY = "coalesce(a.version_family, a.translation_of, a.id)"
# The slugs of the first and the last version of the product that an article is about.
VERSION_SLUGS = ", ".join(
    f"""case when a.{bound}_version is not null then (select v.slug from product_versions v
        where v.workspace_id = %(workspace)s and v.id = a.{bound}_version) end as {bound}_slug"""
    for bound in ("since", "until")
)


def in_version(position: int | None) -> str:
    """The condition for the articles of the product version with the position `%(version)s`; None: of all."""
    return "true" if position is None else in_version_at("%(version)s")


def in_version_at(position: str = "%(read_version)s") -> str:
    """The same for a position in SQL, by default that of the version that is read."""
    versions = """select bound.id from product_versions bound
        where bound.bot_id = %(bot)s and bound.workspace_id = %(workspace)s and bound.position"""
    return f"""((a.since_version is null or a.since_version in ({versions} <= {position}))
        and (a.until_version is null or a.until_version in ({versions} >= {position})))"""


def in_read_version(ctx: Ctx, articles: str = LIVE) -> str:
    """A condition for `articles` of the reader's product version; all articles if none is chosen."""
    return f"{articles} and {in_version_at()}" if ctx.bot.version else articles


def other_version(ctx: Ctx) -> str:
    """The `ReadVersion` nearest to the one that is read among those of an article that is not about it."""
    return nearest_other_version("%(read_version)s") if ctx.bot.version else "null::jsonb"


def nearest_other_version(position: str) -> str:
    """The same for a position in SQL."""
    return f"""case when not {in_version_at(position)} then (
        select {READ_VERSION} from product_versions v
        where v.bot_id = %(bot)s and v.workspace_id = %(workspace)s and {in_version_at("v.position")}
        order by abs(v.position - {position}) limit 1) end"""


def in_language(live: str) -> str:
    """The condition for the articles in the language `%(locale)s` that `live` selects.

    If the help center shows untranslated articles, those of its default language without a live translation
    are among them. A language without any live article stays empty. An article with the same slug counts as
    the translation, because it has the address.
    """
    versions = f"{live} and a.locale = %(locale)s"
    return f"""(a.locale = %(locale)s or (
        a.locale = ({FALLBACK_LOCALE} and exists (select {versions}))
        and coalesce(a.translation_of, a.id) not in (select coalesce(a.translation_of, a.id) {versions})
        and a.slug not in (select a.slug {versions})))"""
