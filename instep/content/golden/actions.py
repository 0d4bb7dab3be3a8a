"""Operations on golden questions, and the warning when one would lose its article."""

from collections.abc import Sequence

from instep.content.golden import queries
from instep.content.golden.retention import still_answers
from instep.content.golden.schemas import GoldenQuestion, PublicText, normalized_question
from instep.platform.core import limits
from instep.platform.core.database import QueuedStatement
from instep.platform.core.errors import InvalidState, InvalidValue, NotFound
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.text.characters import shorten

# Maximum number of characters of a question in a warning.
MAX_QUOTED_CHARACTERS = 100


async def list_golden_questions(ctx: Ctx) -> list[GoldenQuestion]:
    """List the golden questions, oldest first."""
    return await queries.list_all(ctx)


async def list_golden_questions_of(ctx: Ctx, article_id: str) -> list[GoldenQuestion]:
    """List the golden questions of an article, oldest first."""
    return await queries.list_of_articles(ctx, [article_id])


@writes
async def add_golden_question(
    ctx: Ctx, question: str, article_ref: str, section: str | None = None, says: str | None = None
) -> GoldenQuestion:
    """Add a question that an article, named by its id or slug, must answer.

    `section` is a heading above the passage that must answer it, `says` are words of the answer.
    """
    text, heading, words = (normalized_question(part or "") for part in (question, section, says))
    if not text:
        raise InvalidValue("question", f"it must have 1 to {limits.MAX_QUESTION_CHARACTERS} characters")
    for name, part in (("question", text), ("section", heading), ("says", words)):
        if len(part) > limits.MAX_QUESTION_CHARACTERS:
            raise InvalidValue(name, f"it must have 1 to {limits.MAX_QUESTION_CHARACTERS} characters")
    article_id = await queries.find_article_id(ctx, article_ref)
    if article_id is None:
        raise NotFound(f"No article has the id or slug {article_ref}.")
    await queries.lock_count(ctx)
    if await queries.count(ctx) >= limits.MAX_GOLDEN_QUESTIONS:
        raise InvalidState(
            f"A bot keeps at most {limits.MAX_GOLDEN_QUESTIONS} golden questions: remove one first."
        )
    golden = await queries.insert(ctx, text, article_id, heading or None, words or None)
    if golden is None:
        raise InvalidState("The article already has this golden question.")
    return golden


@writes
async def remove_golden_question(ctx: Ctx, golden_id: str) -> GoldenQuestion:
    """Remove a golden question."""
    golden = await queries.delete(ctx, golden_id)
    if golden is None:
        raise NotFound(f"No golden question has the id {golden_id}: `instep golden list` shows them.")
    return golden


def ask_for_golden_questions(ctx: Ctx, article_ids: Sequence[str]) -> QueuedStatement:
    """Request the golden questions of articles, together with the next statement."""
    return queries.ask_for_questions_of(ctx, list(article_ids))


async def warn_of_loss(
    ctx: Ctx, questions: QueuedStatement, before: PublicText | None, after: PublicText | None
) -> None:
    """Warn if a change to an article's public text removes the answer to a golden question.

    `before` and `after` are the public texts; None means that the article was or is not public. `questions`
    are the golden questions of the article, requested before the change.
    """
    if before is None or before == after:
        return
    rows = await questions.all(GoldenQuestion)
    ctx.warnings.extend(_bereft(rows) if after is None else _losses(rows, before, after))


async def warn_of_articles(ctx: Ctx, article_ids: Sequence[str]) -> None:
    """Warn about the golden questions of articles that are no longer public."""
    rows = await queries.list_of_articles(ctx, list(article_ids))
    ctx.warnings.extend(_bereft(rows))


async def losses(ctx: Ctx, article_id: str, before: PublicText, after: PublicText) -> list[str]:
    """Sentences about the golden questions that another text of an article would no longer answer."""
    return _losses(await queries.list_of_articles(ctx, [article_id]), before, after)


def _bereft(rows: Sequence[GoldenQuestion]) -> list[str]:
    return [f"The golden question “{_quoted(golden)}” loses its public article." for golden in rows]


def _losses(rows: Sequence[GoldenQuestion], before: PublicText, after: PublicText) -> list[str]:
    return [
        f"The golden question “{_quoted(golden)}” may lose its answer: the new text does not contain it."
        for golden in rows
        if not still_answers(golden.question, before, after)
    ]


def _quoted(golden: GoldenQuestion) -> str:
    return shorten(golden.question, MAX_QUOTED_CHARACTERS)
