"""Golden questions of a source: new ones are added, and one that can't be kept is reported."""

import pytest

from instep.content.golden.actions import list_golden_questions
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.identity.job_context import job_context
from instep.transfer.imports.tree.schemas import ImportedQuestion, Tree
from tests.support.bringing import IMPORTER, Importer
from tests.support.cast import Cast
from tests.support.import_sources import page

INSTALL = ImportedQuestion("How  do I install it?", "a.md")


@pytest.fixture
def importer(database: Database, cast: Cast) -> Importer:
    return Importer(database, cast.acme)


def source(*questions: ImportedQuestion, text: str = "Install it.\n") -> Tree:
    return Tree("plain", "en", (page("a.md", text),), questions=questions)


async def questions_of(importer: Importer) -> set[str]:
    async with job_context(importer.database, importer.payload, IMPORTER) as ctx:
        return {row.question for row in await list_golden_questions(ctx)}


async def test_a_new_question_alone_is_news(importer: Importer) -> None:
    await importer.bring(source(INSTALL))

    report = await importer.bring(source(INSTALL, ImportedQuestion("How do I set it up?", "a.md")))

    assert await questions_of(importer) == {"How do I install it?", "How do I set it up?"}
    assert (report.questions.created, report.questions.unchanged) == (1, 1)
    assert (await importer.plan(source(INSTALL))).report.changes_nothing


async def test_a_question_that_is_here_already_is_no_loss(importer: Importer) -> None:
    await importer.bring(source(INSTALL))

    report = await importer.bring(source(INSTALL, text="Install it now.\n"))

    assert report.losses == []


@pytest.mark.parametrize("question", ["  ", "x" * (limits.MAX_QUESTION_CHARACTERS + 1)])
async def test_a_question_that_cannot_be_kept_is_told_and_ends_no_import(
    importer: Importer, question: str
) -> None:
    report = await importer.bring(source(ImportedQuestion(question, "a.md"), INSTALL))

    assert await questions_of(importer) == {"How do I install it?"}
    assert [(loss.path, loss.what[:15]) for loss in report.losses] == [("a.md", "golden question")]
    assert (report.questions.created, report.questions.failed) == (1, 1)
