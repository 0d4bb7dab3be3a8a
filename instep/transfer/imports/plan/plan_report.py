"""The report of a plan: the counts of its outcomes, the resulting tree, and the losses."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from instep.content.golden.schemas import normalized_question
from instep.transfer.imports.schemas import AbsentOutcome, BotState, LocaleCount, Plan, PlannedPage, TreeLine
from instep.transfer.imports.tree.schemas import Loss

GONE: dict[AbsentOutcome, str] = {
    "stays": "is kept",
    "archived": "is archived",
    "changed_here": "is kept because it was changed here",
}


def fill_report(planned: Plan, state: BotState) -> None:
    """Fill the counts and the tree of a plan's report."""
    report = planned.report
    for page in planned.pages:
        report.pages.add(page.outcome)
    numbers = Counter(page.locale for page in planned.pages)
    report.locales = [LocaleCount(locale, number) for locale, number in numbers.most_common()]
    for collection in planned.collections:
        report.collections.add(collection.outcome)
    for entry in planned.entries:
        report.entries.add(entry.outcome)
    for part in planned.parts:
        report.parts.add(part.outcome)
    count_redirects(planned, state)
    count_questions(planned, state)
    list_absent(planned)
    report.tree = list(tree_lines_of(planned))


def grouped(losses: Sequence[Loss]) -> list[Loss]:
    """The losses, with equal ones of a page combined: the first line and their number."""
    counts = Counter((loss.path, loss.what) for loss in losses)
    first = {(loss.path, loss.what): loss for loss in reversed(losses)}
    return [replace(first[key], times=number) for key, number in counts.items()]


def count_questions(planned: Plan, state: BotState) -> None:
    for row in planned.tree.questions:
        earlier = state.pages.get(row.page)
        is_here = (
            earlier is not None and (earlier.article_id, normalized_question(row.question)) in state.questions
        )
        planned.report.questions.add("unchanged" if is_here else "created")


def count_redirects(planned: Plan, state: BotState) -> None:
    archived = (page for page in planned.report.absent_pages if page.outcome == "archived")
    heirs = {page.article_id: page.heir for page in archived}
    for redirect in planned.redirects:
        present = state.redirects.get(redirect.path)
        earlier = state.pages.get(redirect.page_key or "")
        if present is None:
            planned.report.redirects.add("created")
        elif present == redirect.url or (earlier is not None and present == earlier.article_id):
            planned.report.redirects.add("unchanged")
        elif heirs.get(present) == redirect.page_key is not None:
            planned.report.redirects.add("updated")
        else:
            planned.report.redirects.add("kept_here")
            loss = Loss(redirect.path, "old address that already redirects to another page here")
            planned.report.losses.append(loss)


def list_absent(planned: Plan) -> None:
    """Report pages that the source no longer has, and pages that were deleted or changed here."""
    report = planned.report
    for absent in report.absent_pages:
        report.pages.absent += absent.outcome != "archived"
        report.pages.archived += absent.outcome == "archived"
        report.losses.append(
            Loss(absent.key, f"page that is no longer in the source: “{absent.slug}” {GONE[absent.outcome]}")
        )
    for page in planned.pages:
        if page.outcome == "deleted_here":
            what = f"page that was deleted here: to get it back, restore “{page.title}” from Recently deleted"
            report.losses.append(Loss(page.page.path, what))
    for entry in planned.entries:
        if entry.outcome == "kept_here":
            report.losses.append(
                Loss(
                    entry.entry.path, "changelog entry that was changed on both sides: the text here is kept"
                )
            )


def tree_lines_of(planned: Plan) -> Iterator[TreeLine]:
    """The resulting tree: pages without a collection first, then collections with their pages."""
    pages: dict[str | None, list[PlannedPage]] = {}
    locales: dict[str, list[str]] = {}
    for page in planned.pages:
        if page.original_key is None:
            pages.setdefault(page.collection, []).append(page)
        else:
            locales.setdefault(page.original_key, []).append(page.locale)

    def lines_of_pages(collection: str | None, level: int) -> Iterator[TreeLine]:
        for page in pages.get(collection, []):
            others = tuple(locales.get(page.page.key, []))
            yield TreeLine(level, page.title, "page", page.outcome, (page.locale, *others))

    yield from lines_of_pages(None, 0)
    levels: dict[str | None, int] = {}
    for row in planned.collections:
        level = levels[row.collection.key] = levels.get(row.parent, -1) + 1
        yield TreeLine(level, row.title, "collection", row.outcome)
        yield from lines_of_pages(row.collection.key, level + 1)
