"""The model's part in an answer: between two transactions, within the bot's day, and never needed."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import structlog

from instep.answers.ask import Answer, RetrievedContext, extractive_answer, no_answer, renumbered, source_of
from instep.answers.citing import has_no_active_markup
from instep.answers.extractive import PassageExtract, QuestionTerms, read_passage
from instep.answers.generative import SupportedSentence, join_blocks, prompt_for, supported_sentences
from instep.core import limits
from instep.core.config import settings
from instep.identity.schemas import Ctx
from instep.llm.budget import Reservation, reserve_tokens, settle
from instep.llm.protocol import Completion, CompletionError, Model, Prompt

log = structlog.get_logger()

Enter = Callable[[], AbstractAsyncContextManager[Ctx]]


async def answer_with_model(
    enter: Enter, model: Model | None, grounds: RetrievedContext, earlier: tuple[str, ...]
) -> Answer:
    """The answer as a model writes it; in the articles' own words without one, and when it gives no reply."""
    if model is None or not grounds.is_answerable:
        return extractive_answer(grounds)
    question = QuestionTerms(grounds.text, grounds.passages)
    readings = [read_passage(passage, question) for passage in grounds.passages]
    try:
        reply = await replied(enter, model, prompt_for(grounds.text, earlier, readings))
    except CompletionError as none:
        log.warning("a question goes on without the model", model=model.name, reason=none.message)
        return extractive_answer(grounds)
    return generated_answer(supported_sentences(reply.text, readings), readings, grounds, model.name)


async def replied(enter: Enter, model: Model, question: Prompt) -> Completion:
    async with enter() as ctx:
        most = int(settings().model_tokens_per_day * limits.ANSWERS_BUDGET_SHARE)
        share = await reserve_tokens(ctx, question.tokens, most)
    if share is None:
        raise CompletionError("The tokens that visitors' questions may use are used up for today.", 0)
    try:
        reply = await model.answer(question)
    except CompletionError as none:
        await settled(enter, share, none.tokens)
        raise
    await settled(enter, share, reply.tokens)
    return reply


async def settled(enter: Enter, share: Reservation, used: int | None) -> None:
    """Who goes away before this leaves the share counted: nobody knows what was used of it."""
    async with enter() as ctx:
        await settle(ctx, share, used)


def generated_answer(
    kept: list[SupportedSentence], readings: list[PassageExtract], grounds: RetrievedContext, model: str
) -> Answer:
    """What holds of the reply; where nothing does, the articles don't hold the answer."""
    numbers = renumbered([part.number for part in kept])
    blocks = tuple(join_blocks(kept, numbers))
    if not kept or not has_no_active_markup("\n\n".join(blocks)):
        return no_answer(grounds)
    sources = tuple(source_of(n, readings[number - 1]) for number, n in numbers.items())
    return Answer(blocks, True, grounds.confidence, sources, model)
