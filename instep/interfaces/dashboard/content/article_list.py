"""The list of articles: by collection, with filters and a search, and moving articles in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import parse_qsl, urlencode

from starlette.responses import Response

from instep.accounts.people.actions import list_users
from instep.content.articles import actions
from instep.content.articles.body_schemas import ArticleUpdate
from instep.content.articles.bulk import list_bulk_changes
from instep.content.articles.schemas import FreshnessReason, OverviewCriteria
from instep.content.product_versions.actions import list_all_versions
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.content.collection_tree import NO_COLLECTION, CollectionTree, read_tree
from instep.interfaces.dashboard.offered_languages import name_with_code
from instep.interfaces.dashboard.shell import pages
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.identity.scopes import Role
from instep.platform.web.errors import body_from
from instep.platform.web.notices import Notice

STATUSES = (
    ("draft", "Draft"),
    ("in_review", "In review"),
    ("published", "Published"),
    ("archived", "Archived"),
)
VISIBILITIES = (("public", "Everyone"), ("authenticated", "Signed-in visitors"))
STATES = (("verified", "Verified"), ("needs_review", "Needs review"), ("stale", "Stale"))
# The reasons an article needs review, as the end of a sentence and as a sentence.
REASONS: dict[FreshnessReason, str] = {
    "draft": "an edit is waiting for review.",
    "place": "a section of it needs writing.",
    "review_by": "its review date has come.",
    "feedback": "readers say that it is outdated.",
    "age": f"it has not been verified or changed for {limits.STALE_AFTER.days} days.",
}
# The ages that the list can be narrowed to, by days.
AGES = (("90", "Over 90 days ago"), ("180", "Over 180 days ago"), ("365", "Over a year ago"))
NOBODY = "nobody"
FILTERS = ("q", "status", "locale", "visibility", "freshness", "owner", "age", "changed", "drafts", "version")
router = PageRouter("articles")


@dataclass(frozen=True, slots=True)
class ArticleFilters:
    """The filters in the list's URL, by the names of its fields."""

    fields: Mapping[str, str]
    # The positions of the product versions, by slug.
    versions: Mapping[str, int] = field(default_factory=dict)

    @property
    def collection(self) -> str | None:
        return self.fields.get("collection") or None

    @property
    def is_narrowed(self) -> bool:
        """True if there are filters besides the collection: then the rows are not neighbors of each other."""
        return any(self.fields.get(name) for name in FILTERS)

    @property
    def criteria(self) -> OverviewCriteria:
        """The criteria, ignoring values that no field offers."""
        collection, owner = self.collection, self.fields.get("owner") or None
        age = choice(self.fields.get("age"), AGES)
        return OverviewCriteria(
            words=self.fields.get("q", "").replace("\0", " ")[: limits.MAX_QUERY_CHARACTERS].strip(),
            status=choice(self.fields.get("status"), STATUSES),
            locale=self.fields.get("locale") or None,
            collection_id="" if collection == NO_COLLECTION else collection,
            visibility=choice(self.fields.get("visibility"), VISIBILITIES),
            freshness=choice(self.fields.get("freshness"), STATES),
            owner="" if owner == NOBODY else owner,
            unchanged_for=timedelta(days=int(age)) if age else None,
            has_unpublished_changes=bool(self.fields.get("changed")),
            has_drafts=bool(self.fields.get("drafts")),
            version=self.versions.get(self.fields.get("version", "")),
        )

    def address(self, **changes: str | None) -> str:
        """The URL of the list with changed fields, from its first page, below the pages of the bot."""
        fields = {**self.fields, "cursor": None, **changes}
        query = urlencode({name: value for name, value in fields.items() if value})
        return f"articles?{query}" if query else "articles"


def choice(value: str | None, options: tuple[tuple[str, str], ...]) -> str | None:
    return value if value in dict(options) else None


@router.get()
async def show_articles(page: BotPage) -> Response:
    versions = await list_all_versions(page.ctx)
    filters = ArticleFilters(page.query, {version.slug: version.position for version in versions})
    articles = await actions.list_article_overviews(page.ctx, filters.criteria, page.rows_at_cursor())
    tree = await read_tree(page, await actions.count_articles(page.ctx))
    return await page.show(
        "content/articles.html",
        articles=articles.rows,
        next_page=articles.next_cursor and filters.address(cursor=articles.next_cursor),
        filters=filters,
        heading=heading_of(filters, tree),
        tree=tree,
        languages=[(locale, name_with_code(locale)) for locale in tree.locales],
        versions=[(version.slug, version.name) for version in versions],
        statuses=STATUSES,
        visibilities=VISIBILITIES,
        states=STATES,
        ages=AGES,
        owners=[(NOBODY, "Nobody"), *await members(page)],
        can_move=page.can_write and filters.collection is not None and not filters.is_narrowed,
        here=urlencode(page.query),
        bulk_changes=await list_bulk_changes(page.ctx) if page.can_write else [],
        max_query_characters=limits.MAX_QUERY_CHARACTERS,
    )


async def members(page: BotPage) -> list[tuple[str, str]]:
    """The people who may look after articles, as the values and words of a choice."""
    users = await list_users(page.ctx.tx, page.ctx.workspace_id)
    return [(user.email, user.email) for user in users if user.disabled_at is None]


def heading_of(filters: ArticleFilters, tree: CollectionTree) -> str:
    if filters.collection is None:
        return "Articles"
    return tree.titles.get(filters.collection, "Without a collection")


@router.post("{id}/move/{step}", Role.EDITOR)
async def move_up_or_down(page: BotPage) -> Response:
    """Move an article by one position, and return to the list from which the form was sent."""
    step = page.request.path_params["step"]
    if step not in ("up", "down"):
        raise NotFound
    await actions.move_article(page.ctx, page.param("id"), step)
    return page.leave(same_list(page.form.get("here", "")))


def same_list(query: str) -> str:
    fields = dict(parse_qsl(query))
    return f"articles?{urlencode(fields)}" if fields else "articles"


@router.get("{id}/move", Role.EDITOR)
async def ask_where_to_move(page: BotPage) -> Response:
    article = await actions.get_article(page.ctx, page.param("id"))
    tree = await read_tree(page, [])
    return await page.show("content/move_article.html", article=article, tree=tree, nowhere=NO_COLLECTION)


@router.post("{id}/move", Role.EDITOR)
async def move_to_collection(page: BotPage) -> Response:
    collection = page.form.get("collection", NO_COLLECTION)
    update = body_from(ArticleUpdate, {"collectionId": None if collection == NO_COLLECTION else collection})
    article = await actions.update_article(page.ctx, page.param("id"), update)
    place = (await read_tree(page, [])).titles.get(article.collection_id or "")
    sentence = (
        f"Moved “{article.title}” to {place}."
        if place
        else f"“{article.title}” is no longer in a collection."
    )
    return page.leave(f"articles/{article.id}", Notice(sentence))


pages.pages.environment.globals["FRESHNESS_REASONS"] = REASONS
