"""Matches each page of the folder with its article, and plans the merged values."""

from dataclasses import dataclass

from instep.transfer.exports.relative_links import article_address
from instep.transfer.git_sync.pages import FolderPage, UnusablePage, values_of, values_of_article
from instep.transfer.git_sync.schemas import SyncedArticle, SyncedFile
from instep.transfer.git_sync.three_way import MergedValues
from instep.transfer.git_sync.work import SyncWork, merged_values


@dataclass(slots=True)
class ArticlePlan:
    """A page with its article, if it has one, and the merged values."""

    page: FolderPage
    values: dict[str, str | None]
    row: SyncedFile | None = None
    article: SyncedArticle | None = None
    merged: MergedValues | None = None
    is_waiting: bool = False
    # With `drafts` an article that git publishes stays unpublished.
    stays_unpublished: bool = False

    @property
    def slug(self) -> str:
        return (self.merged.article if self.merged else self.values)["slug"] or ""


def plan_articles(work: SyncWork) -> list[ArticlePlan]:
    """Pair each page with its article, originals before translations.

    Every address is registered before the first text is converted.
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
            work.sync.report(page.path, "refused", refusal.message)
    for plan in plans:
        register_address(work, plan)
    return plans


def plan_article(
    work: SyncWork, page: FolderPage, free_articles: dict[tuple[str, str], SyncedArticle]
) -> ArticlePlan:
    row = work.rows.get(page.path)
    plan = ArticlePlan(page, values_of(page, work.folders), row)
    if row is not None:
        plan.article = work.articles.get(row.resource_id)
        choose_base(work, plan, row)
    else:
        # A new page is matched to an article with the same slug that has no file yet.
        locale, slug = page.locale or work.ctx.bot.locale, plan.values["slug"] or ""
        if (article := free_articles.pop((locale, slug), None)) is not None:
            row = work.rows[page.path] = SyncedFile(page.path, "article", article.id)
            plan.article, plan.row = article, row
    if plan.article is not None and row is not None:
        plan.merged = merged_values(work, row, plan.values, values_of_article(plan.article))
        plan.is_waiting = plan.is_waiting or plan.article.status == "in_review"
        if plan.article.status == "archived" and row.article_values is None:
            # If a deleted file returns, its article is restored from the archive.
            plan.merged.article["status"] = plan.merged.file["status"] = plan.values["status"]
        goes_live = plan.merged.article["status"] == "published" and plan.article.status != "published"
        if goes_live and work.request.drafts:
            plan.stays_unpublished = True
            plan.merged.article["status"] = plan.article.status
    return plan


def choose_base(work: SyncWork, plan: ArticlePlan, row: SyncedFile) -> None:
    """Advance to the next base if git has the written text, or if the draft is settled.

    A draft of an earlier state of the file stays with the row until the current state is synced.
    """
    text = plan.page.file.text
    if row.draft_id is None:
        is_there = row.next_file_text is not None and row.next_path in (None, row.path)
        if is_there and (text == row.next_file_text or plan.page.has_written):
            if row.next_path is not None:
                # The base is the text that was written at the other path.
                work.former_paths.pop(row.path, None)
            row.advance()
            work.advanced_ids.add(row.resource_id)
    elif row.draft_id not in work.pending_drafts:
        row.advance()
    elif text == row.next_file_text:
        plan.is_waiting = True


def register_address(work: SyncWork, plan: ArticlePlan) -> None:
    bot, locale = work.ctx.bot, plan.page.locale or work.ctx.bot.locale
    former = []
    if plan.article is not None:
        former = [article_address(bot, locale, ref) for ref in (plan.article.slug, plan.article.id)]
    work.site.add(plan.page.path, article_address(bot, locale, plan.slug), *former)


def original_path(work: SyncWork, page: FolderPage) -> str | None:
    """The path of the file that a page translates; None for an original.

    The original of a page in the help center's language may be in another language.
    """
    locale = page.matter.get("translates")
    if page.locale is None and locale is None:
        return None
    path = page.group + (f".{locale}" if locale else "") + page.extension
    candidate = work.pages.get(path)
    own_locale = page.locale or work.ctx.bot.locale
    is_translation = candidate is not None and candidate.matter.get("translates") == own_locale
    return None if path == page.path or is_translation else path
