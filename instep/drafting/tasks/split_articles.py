"""Articles that were split while a task ran: its findings belong to the article of the task's version."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from instep.content.articles.schemas import Article
from instep.content.articles.writer_queries import find_counterparts_in_version, ids_in_version
from instep.content.product_versions.actions import get_product_version
from instep.drafting import writer
from instep.drafting.tasks.outlook import Outlook
from instep.drafting.tasks.queries import TaskInput
from instep.platform.identity.schemas import Ctx

Finding = TypeVar("Finding", writer.Proposal, writer.Place, writer.Verdict, writer.StaleMention)


@dataclass(frozen=True, slots=True)
class SplitArticles:
    """The ids of the articles of the task's version, by the ids of the articles that were read."""

    ids: Mapping[str, str]

    def of_articles(self, articles: dict[str, Article]) -> dict[str, Article]:
        """The articles as they were read, and the copies for the task's version with the same texts."""
        copies = {new: replace(articles[old], id=new, version=0) for old, new in self.ids.items()}
        return articles | copies

    def of_report(self, report: writer.Report) -> writer.Report:
        return replace(
            report,
            proposals=self._of_findings(report.proposals),
            reviewed=self._of_findings(report.reviewed),
            stale_mentions=self._of_findings(report.stale_mentions),
            places=self._of_findings(report.places),
        )

    def of_outlook(self, outlook: Outlook) -> Outlook:
        return replace(
            outlook,
            edits={self._of_id(id): edits for id, edits in outlook.edits.items()},
            verdicts={row.article_id: row for row in self._of_findings(outlook.verdicts.values())},
            titles={self._of_id(id): title for id, title in outlook.titles.items()},
        )

    def _of_findings(self, rows: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(
            replace(row, article_id=self._of_id(row.article_id)) if row.article_id else row for row in rows
        )

    def _of_id(self, article_id: str) -> str:
        return self.ids.get(article_id, article_id)


async def find_split_articles(ctx: Ctx, work: TaskInput, articles: Mapping[str, Article]) -> SplitArticles:
    """The articles to which a task's findings belong, after the versions are locked."""
    if work.version_id is None:
        return SplitArticles({})
    position = (await get_product_version(ctx, work.version_id)).position
    outside = articles.keys() - await ids_in_version(ctx, list(articles), position)
    return SplitArticles(await find_counterparts_in_version(ctx, outside, position) if outside else {})
