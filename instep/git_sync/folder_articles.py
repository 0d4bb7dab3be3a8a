"""Files and articles: what changed on one side reaches the other, and what overlaps waits for a person."""

from dataclasses import dataclass, replace

from instep.articles import actions as articles
from instep.articles.schemas import Article, ArticleCreate, ArticleUpdate
from instep.articles.texts import find_article, live_columns, save
from instep.core import limits
from instep.core.errors import InvalidRequest
from instep.core.markdown_cost import refuse_costly_markdown
from instep.core.restarts import WorkNeeded
from instep.core.slug_rules import SlugTaken
from instep.drafts.actions import queue_edit
from instep.drafts.schemas import EditProposal
from instep.exports.page_file import PageFile, split_page, with_value
from instep.exports.relative_links import article_address
from instep.git_sync.file_places import file_place, number_of_name
from instep.git_sync.file_refusals import attempted
from instep.git_sync.folder_collections import collection_id_of, tell_outcome, told_conflicts
from instep.git_sync.former_drafts import dismiss_former
from instep.git_sync.needed_work import NeededWork
from instep.git_sync.pages import (
    NEW_FOLDER,
    FolderPage,
    UnusablePage,
    values_of,
    values_of_article,
    with_values,
)
from instep.git_sync.schemas import SyncedArticle, SyncedFile
from instep.git_sync.three_way import MergedValues, Values, carry, merge_texts
from instep.git_sync.work import (
    SyncWork,
    base_values,
    in_step,
    lifted_text,
    lifted_values,
    merged_values,
    set_base,
    set_next,
)
from instep.identity.access import writes
from instep.identity.schemas import Ctx
from instep.web.bodies import body_from

SHORT_COMMIT = 12
NOT_PUBLISHED = "Git publishes it; with drafts nothing goes live: publish it in Instep."


class OriginalMissing(InvalidRequest):
    """A translation can't be made before its original; the message says what to change."""


@dataclass(slots=True)
class ArticlePlan:
    """A page with its article, if it has one, and the values that both will have."""

    page: FolderPage
    values: dict[str, str | None]
    row: SyncedFile | None = None
    article: SyncedArticle | None = None
    merged: MergedValues | None = None
    waits: bool = False
    # With `drafts` the article stays unpublished, though git has published it.
    stays_unpublished: bool = False

    @property
    def slug(self) -> str:
        return (self.merged.article if self.merged else self.values)["slug"] or ""


def plan_articles(work: SyncWork) -> list[ArticlePlan]:
    """Pair each page with its article, and know every address before the first text is read.

    Originals come before their translations.
    """
    plans = []
    synced_ids = work.synced_ids
    free_articles = {
        (row.locale, row.slug): row
        for row in work.articles.values()
        if row.id not in synced_ids and row.status != "in_review"
    }
    for page in sorted(work.pages_of("article"), key=lambda page: (page.group, page.locale or "")):
        try:
            plans.append(plan_article(work, page, free_articles))
        except UnusablePage as refusal:
            work.sync.tell(page.path, "refused", refusal.message)
    for plan in plans:
        know_address(work, plan)
    return plans


def plan_article(
    work: SyncWork, page: FolderPage, free_articles: dict[tuple[str, str], SyncedArticle]
) -> ArticlePlan:
    plan = ArticlePlan(page, values_of(page, work.folders), work.rows.get(page.path))
    if plan.row is None:
        locale, slug = page.locale or work.ctx.bot.locale, plan.values["slug"] or ""
        adopt(work, plan, free_articles.pop((locale, slug), None))
    else:
        plan.article = work.articles.get(plan.row.resource_id)
        choose_base(work, plan, plan.row)
    if plan.article is not None:
        plan.merged = merged_values(work, plan.row, plan.values, values_of_article(plan.article))
        plan.waits = plan.waits or plan.article.status == "in_review"
        if plan.article.status == "archived" and plan.row is not None and plan.row.article_values is None:
            # A file that comes back brings its article back.
            plan.merged.article["status"] = plan.merged.file["status"] = plan.values["status"]
        goes_live = plan.merged.article["status"] == "published" and plan.article.status != "published"
        if goes_live and work.request.drafts:
            plan.stays_unpublished = True
            plan.merged.article["status"] = plan.article.status
    return plan


def adopt(work: SyncWork, plan: ArticlePlan, article: SyncedArticle | None) -> None:
    """Give a new page the article with its slug that has no file yet, if there is one."""
    if article is not None:
        plan.article = article
        plan.row = work.rows[plan.page.path] = SyncedFile(plan.page.path, "article", article.id)


def choose_base(work: SyncWork, plan: ArticlePlan, row: SyncedFile) -> None:
    """The next base is in force when git has what was written, or when the draft is settled.

    A draft of another state of the file stays with the row until the file's present state is taken over.
    """
    text = plan.page.file.text
    if row.draft_id is None:
        is_there = row.next_path in (None, row.path)
        if (
            is_there
            and row.next_file_text is not None
            and (text == row.next_file_text or plan.page.has_written)
        ):
            if row.next_path is not None:
                # The base is what was written there.
                work.former_paths.pop(row.path, None)
            row.advance()
            work.advanced_ids.add(row.resource_id)
    elif row.draft_id not in work.pending_drafts:
        row.advance()
    elif text == row.next_file_text:
        plan.waits = True


def know_address(work: SyncWork, plan: ArticlePlan) -> None:
    bot, locale = work.ctx.bot, plan.page.locale or work.ctx.bot.locale
    former = []
    if plan.article is not None:
        former = [article_address(bot, locale, ref) for ref in (plan.article.slug, plan.article.id)]
    work.site.add(plan.page.path, article_address(bot, locale, plan.slug), *former)


async def sync_articles(work: SyncWork, plans: list[ArticlePlan]) -> None:
    """Sync each page; those that needed what another page gives up or makes are tried again after it.

    Each round goes the other way, as one page may wait for the next one, and so on.
    """
    needed = NeededWork()
    for _ in range(limits.MAX_SYNC_ROUNDS):
        waiting_plans = []
        for plan in plans:
            refusal = await attempted(work, plan.page.path, sync_plan(work, plan))
            if isinstance(refusal, SlugTaken | OriginalMissing):
                waiting_plans.append(plan)
            elif isinstance(refusal, WorkNeeded):
                needed.take()
        await needed.do_before_next_attempt()
        if len(waiting_plans) in (0, len(plans)):
            return
        plans = waiting_plans[::-1]
        work.sync.take_back_refusals({plan.page.path for plan in plans})
        for plan in plans:
            plan.row = work.rows.get(plan.page.path)


async def sync_plan(work: SyncWork, plan: ArticlePlan) -> None:
    refuse_costly_markdown(plan.page.file.body)
    if plan.row is None:
        await create(work, plan)
    elif plan.article is None:
        remove_page(work, plan, plan.row)
    elif plan.waits:
        work.sync.tell(
            plan.page.path,
            "waiting",
            "A draft of it waits for review.",
            article_id=plan.article.id,
            draft_id=plan.row.draft_id,
        )
    else:
        if plan.row.draft_id is not None:
            await dismiss_former(work.ctx, plan.row.draft_id)
            plan.row.forget_next()
        await bring_together(work, plan, plan.row, plan.article)


async def bring_together(work: SyncWork, plan: ArticlePlan, row: SyncedFile, article: SyncedArticle) -> None:
    assert plan.merged is not None, "the plan has an article"
    page, merged = plan.page, plan.merged
    if is_in_step(plan, row, article):
        return
    text = await lifted_text(work, page, row, article.content)
    content = await merge_texts(row.article_text, article.content, text)
    is_text_changed = (content, merged.article["title"]) != (article.content, article.title)
    if content is None or "title" in merged.conflicts or (work.request.drafts and is_text_changed):
        await propose(work, plan, text, is_conflict=content is None or "title" in merged.conflicts)
        return
    is_changed = (merged.article, content) != (values_of_article(article), article.content)
    row.article_version = await update(work, article, merged.article, content)
    lines = await carry(text, content, page.file.body, work.to_paths(content, page.path))
    is_misplaced = belongs_elsewhere(work, plan)
    file_values = {**merged.file, "collection": plan.values["collection"]} if is_misplaced else merged.file
    file = with_values(
        replace(page, file=PageFile(page.file.head, lines)), plan.values, file_values, work.folders
    )
    article_side = await settled(work, merged.article)
    lifted = await lifted_side(work, plan, row, article)
    if file.text == page.file.text and not is_misplaced:
        in_step(row, file_text=file.text, article_text=content, article_values=article_side)
    else:
        set_base(row, page.file.text, text, lifted)
        set_next(row, file.text, content, article_side)
    if file.text != page.file.text:
        work.sync.writes[page.path] = file.text
    if is_misplaced:
        work.misplaced_paths.add(page.path)
    await move(work, page, article)
    tell_outcome(
        work, page.path, is_changed, file.text != page.file.text, merged.conflicts, article_id=article.id
    )
    if plan.stays_unpublished:
        work.sync.tell_more(page.path, "kept", NOT_PUBLISHED, article_id=article.id)


def belongs_elsewhere(work: SyncWork, plan: ArticlePlan) -> bool:
    """Whether the article is in another collection than its file, which has no line that says so.

    Where a configuration file names the files, they stay, and get the line.
    """
    assert plan.merged is not None, "the plan has an article"
    page, target = plan.page, plan.merged.file["collection"]
    is_told = "collection" in page.matter or work.navigation is not None
    if is_told or target == plan.values["collection"] or (target or "").startswith(NEW_FOLDER):
        return False
    original = original_path(work, page)
    return original not in work.pages or original in work.misplaced_paths


def is_in_step(plan: ArticlePlan, row: SyncedFile, article: SyncedArticle) -> bool:
    """Whether nothing has changed on either side since the last sync."""
    assert plan.merged is not None, "the plan has an article"
    current = values_of_article(article)
    return (
        row.next_file_text is None
        and (plan.page.file.text, article.content) == (row.file_text, row.article_text)
        and (plan.merged.article, plan.merged.file) == (current, plan.values)
        and row.article_values == current
    )


async def settled(work: SyncWork, values: dict[str, str | None]) -> dict[str, str | None]:
    """The values with the id of a collection that has just been made for a folder."""
    collection = values.get("collection")
    return {**values, "collection": await collection_id_of(work, collection) or collection}


async def lifted_side(
    work: SyncWork, plan: ArticlePlan, row: SyncedFile, article: SyncedArticle
) -> dict[str, str | None]:
    """The values of an article that is as the file is, but for what the sync leaves to people."""
    lifted = await settled(work, lifted_values(work, row, plan.values))
    return {**lifted, "status": article.status} if plan.stays_unpublished else lifted


async def update(work: SyncWork, article: SyncedArticle, values: dict[str, str | None], content: str) -> int:
    """Give the article these values and this text; the version that it has then."""
    current = values_of_article(article)
    changes = {name: value for name, value in values.items() if current[name] != value}
    status = changes.pop("status", None)
    fields: dict[str, str | None] = dict(changes)
    if "collection" in fields:
        fields["collectionId"] = await collection_id_of(work, fields.pop("collection"))
    if "description" in fields:
        fields["description"] = fields["description"] or ""
    if content != article.content:
        fields["contentMarkdown"] = content
    version = article.version
    if fields:
        updated = await articles.update_article(work.ctx, article.id, body_from(ArticleUpdate, fields))
        version = updated.version
    if status is not None:
        version = (await set_status(work, article.id, status)).version
    return version


async def set_status(work: SyncWork, article_id: str, status: str) -> Article:
    if status == "published":
        return await publish_article(work.ctx, article_id)
    if status == "archived":
        return await articles.archive_article(work.ctx, article_id)
    return await articles.unpublish_article(work.ctx, article_id)


@writes
async def publish_article(ctx: Ctx, article_id: str) -> Article:
    """Make the text live that git and the article share; what an editor has not published yet stays so."""
    article = await find_article(ctx, article_id, lock=True)
    return await save(ctx, article, live_columns(ctx, article), "markdown")


async def move(work: SyncWork, page: FolderPage, article: SyncedArticle) -> None:
    """A page that git gave another number gets that place; without a number the place stays."""
    former_path = work.former_paths.get(page.path)
    if former_path is None or page.path in work.followed_paths:
        return
    if number_of_name(former_path) == number_of_name(page.path):
        return
    if (position := file_place(page)) is not None:
        update = body_from(ArticleUpdate, {"position": position})
        await articles.update_article(work.ctx, article.id, update)


async def propose(work: SyncWork, plan: ArticlePlan, text: str, *, is_conflict: bool) -> None:
    """Queue the file's title and text as an edit of what was in step; the file stays as it is.

    The article gets its other values, as far as they are no conflict.
    """
    row, article, merged = plan.row, plan.article, plan.merged
    assert row is not None, "the plan has a row"
    assert article is not None, "the plan has an article"
    assert merged is not None, "the plan has an article"
    values = {**merged.article, "title": article.title}
    await update(work, article, values, article.content)
    draft = await queue_edit(work.ctx, article.id, proposal_of(work, plan, row, article, text))
    lifted = await lifted_side(work, plan, row, article)
    keep_values(work, plan, row, lifted)
    set_next(row, plan.page.file.text, text, lifted, draft.id)
    message = (
        "Git and Instep have changed the same lines: a draft waits for review. Whoever settles it decides, "
        "and the next sync writes the article's text to the file."
        if is_conflict
        else "What changed in git waits for review as a draft."
    )
    if values != values_of_article(article):
        message += " What else changed in git is in Instep."
    message += told_conflicts([name for name in merged.conflicts if name != "title"])
    if plan.stays_unpublished:
        message += f" {NOT_PUBLISHED}"
    work.sync.tell(
        plan.page.path,
        "conflict" if is_conflict else "proposed",
        message,
        article_id=article.id,
        draft_id=draft.id,
    )


def proposal_of(
    work: SyncWork, plan: ArticlePlan, row: SyncedFile, article: SyncedArticle, text: str
) -> EditProposal:
    article_values = row.article_values or values_of_article(article)
    title = plan.values["title"]
    commit = work.request.commit[:SHORT_COMMIT]
    return EditProposal(
        content=text,
        base_version=version_of_base(row, article),
        base_title=article_values["title"] or article.title,
        base_content=article.content if row.article_text is None else row.article_text,
        title=title if title != article.title and "title" in changed_names(work, plan) else None,
        reason=f"{plan.page.path} has changed in git, at the commit {commit}.",
    )


def version_of_base(row: SyncedFile, article: SyncedArticle) -> int:
    """The article's version while it has the text of the base, or else an earlier one.

    Whoever reviews the draft is told of a conflict by it: the base may be a text that the article never had.
    """
    base = row.article_text, (row.article_values or {}).get("title")
    if row.article_text is None or base == (article.content, article.title):
        return article.version
    return min(row.article_version or article.version, article.version - 1)


def keep_values(work: SyncWork, plan: ArticlePlan, row: SyncedFile, lifted: Values) -> None:
    """All values but the title are in force at once: they are in step, whatever becomes of the draft."""
    base = base_values(work, row)
    if base is None or row.file_text is None or row.article_values is None:
        return
    file = PageFile(plan.page.file.head, split_page(row.file_text).body)
    if base["title"] != plan.values["title"]:
        file = with_value(file, "title", base["title"])
    row.file_text = file.text
    row.article_values = {**lifted, "title": row.article_values["title"]}


def changed_names(work: SyncWork, plan: ArticlePlan) -> set[str]:
    """The values that changed in git."""
    assert plan.row is not None, "the plan has a row"
    if plan.row.article_values is None:
        return set(plan.values)
    lifted = lifted_values(work, plan.row, plan.values)
    return {name for name, value in lifted.items() if plan.row.article_values.get(name) != value}


async def create(work: SyncWork, plan: ArticlePlan) -> None:
    """Make the article of a new page; with `drafts` it is not published."""
    page, values = plan.page, plan.values
    content = work.to_addresses(page.file.body, page.path)
    fields = {
        "title": values["title"],
        "contentMarkdown": content,
        "slug": values["slug"],
        "visibility": values["visibility"],
        "collectionId": await collection_id_of(work, values["collection"]),
        **({"description": values["description"]} if values["description"] is not None else {}),
        **({"locale": page.locale} if page.locale else {}),
        **({"translationOf": original} if (original := original_id(work, page)) else {}),
        **({"position": place} if (place := file_place(page)) is not None else {}),
    }
    article = await articles.create_article(work.ctx, body_from(ArticleCreate, fields))
    status = "draft" if work.request.drafts else values["status"]
    if status is not None and status != "draft":
        await set_status(work, article.id, status)
    row = SyncedFile(page.path, "article", article.id, article_version=article.version)
    collection = article.collection_id or values["collection"]
    in_step(
        row,
        file_text=page.file.text,
        article_text=content,
        article_values={**values, "status": status, "collection": collection},
    )
    work.rows[page.path] = row
    message = (
        "The article is new." if status == "published" else f"The article is new, with the status {status}."
    )
    work.sync.tell(page.path, "created", message, article_id=article.id)


def original_id(work: SyncWork, page: FolderPage) -> str | None:
    """The article that a translation belongs to: that of the file without its language, or that it names."""
    path = original_path(work, page)
    if path is None:
        return None
    row = work.rows.get(path)
    if row is None and (path in work.pages or path in work.unreadable_paths):
        raise OriginalMissing(
            f"It translates {path}, which could not be taken over: correct that file first."
        )
    return row.resource_id if row is not None else None


def original_path(work: SyncWork, page: FolderPage) -> str | None:
    """Where the file of a translation's original stands.

    A page in another language than the help center's own may be the original of one in that.
    """
    locale = page.matter.get("translates")
    if page.locale is None and locale is None:
        return None
    path = f"{page.group}.{locale}.md" if locale else f"{page.group}.md"
    candidate = work.pages.get(path)
    own_locale = page.locale or work.ctx.bot.locale
    is_translation = candidate is not None and candidate.matter.get("translates") == own_locale
    return None if path == page.path or is_translation else path


def remove_page(work: SyncWork, plan: ArticlePlan, row: SyncedFile) -> None:
    """The article is deleted in Instep: its file goes too, unless somebody has changed it since."""
    path, known_texts = plan.page.path, [row.file_text]
    if row.draft_id is None:
        # What a draft proposes is git's own change, which has never been in the article.
        known_texts.append(row.next_file_text)
    if plan.page.file.text in known_texts:
        work.sync.writes[path] = None
        work.sync.tell(
            path, "removed", "Its article was deleted in Instep, where it can be restored for a while."
        )
    else:
        work.sync.tell(
            path,
            "conflict",
            "Its article was deleted in Instep, and the file has changed since: restore the article, or "
            "delete the file.",
        )
