"""What can be done with golden questions, and the warning when one would lose its article."""

from collections.abc import Sequence

from instep.core import limits
from instep.core.errors import InvalidState, InvalidValue, NotFound
from instep.golden import queries
from instep.golden.retention import still_answers
from instep.golden.schemas import GoldenQuestion, PublicText
from instep.identity.access import writes
from instep.identity.schemas import Ctx
from instep.text.characters import shorten

# Of a question in a warning.
LONGEST_SHOWN = 100


async def list_golden_questions(ctx: Ctx) -> list[GoldenQuestion]:
    """List the golden questions, oldest first."""
    return await queries.list_all(ctx)


@writes
async def add_golden_question(ctx: Ctx, question: str, article_ref: str) -> GoldenQuestion:
    """Keep a question that an article, named by its id or slug, must answer."""
    text = " ".join(question.split())
    if not 0 < len(text) <= limits.MAX_QUESTION_CHARACTERS:
        raise InvalidValue("question", f"it must have 1 to {limits.MAX_QUESTION_CHARACTERS} characters")
    article_id = await queries.find_article_id(ctx, article_ref)
    if article_id is None:
        raise NotFound(f"There is no article {article_ref}: name one by its id or slug.")
    if await queries.count(ctx) >= limits.MAX_GOLDEN_QUESTIONS:
        raise InvalidState(
            f"A bot keeps at most {limits.MAX_GOLDEN_QUESTIONS} golden questions: remove one first."
        )
    added = await queries.insert(ctx, text, article_id)
    if added is None:
        raise InvalidState("The article has this golden question already.")
    return added


@writes
async def remove_golden_question(ctx: Ctx, golden_id: str) -> GoldenQuestion:
    """Keep a golden question no longer."""
    removed = await queries.delete(ctx, golden_id)
    if removed is None:
        raise NotFound(f"There is no golden question {golden_id}: `instep golden list` shows them.")
    return removed


async def warn_of_loss(
    ctx: Ctx, article_id: str, before: PublicText | None, after: PublicText | None
) -> None:
    """Warn whoever changes what an article tells everybody; None: it tells nobody anything."""
    if before is None or before == after:
        return
    if after is None:
        await warn_of_articles(ctx, [article_id])
    else:
        ctx.warnings.extend(await losses(ctx, article_id, before, after))


async def warn_of_articles(ctx: Ctx, article_ids: Sequence[str]) -> None:
    """Warn whoever takes articles away from everybody."""
    known = await queries.list_of_articles(ctx, list(article_ids))
    ctx.warnings.extend(f"The golden question “{shown(golden)}” loses its article." for golden in known)


async def losses(ctx: Ctx, article_id: str, before: PublicText, after: PublicText) -> list[str]:
    """What another text of an article would no longer answer, in sentences."""
    known = await queries.list_of_articles(ctx, [article_id])
    return [
        f"The golden question “{shown(golden)}” may lose its answer: the text does not hold it any more."
        for golden in known
        if not still_answers(golden.question, before, after)
    ]


def shown(golden: GoldenQuestion) -> str:
    return shorten(golden.question, LONGEST_SHOWN)
