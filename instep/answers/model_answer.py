"""Answers that a model writes out, between two transactions and within the bot's daily budget.

Without a model, or when it gives no completion, the answer is in the articles' own words.
"""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from instep.answers.ask import RetrievedContext, citation_numbers, cited_passage, extractive_answer, no_answer
from instep.answers.citing import has_no_active_markup
from instep.answers.extractive import PassageExtract, QuestionTerms, read_passage
from instep.answers.generative import ReadReply, join_blocks, prompt_for, read_answer
from instep.answers.schemas import Answer
from instep.llm.protocol import CompletionError, Model
from instep.search.passage_kinds import answers_questions

log = structlog.get_logger()


async def answer_with_model(
    model: Model | None, context: RetrievedContext, earlier: tuple[str, ...]
) -> Answer:
    if model is None or not context.is_answerable:
        return extractive_answer(context)
    return await written_answer(model, context, earlier)


async def written_answer(model: Model, context: RetrievedContext, earlier: tuple[str, ...]) -> Answer:
    """The answer that a model writes from the passages that it finds to hold it, all in one call."""
    question = QuestionTerms(context.query, context.passages)
    quotable = [passage for passage in context.passages if answers_questions(passage.kind)]
    extracts = [read_passage(passage, question) for passage in quotable]
    try:
        completion = await model.complete(prompt_for(context.query, earlier, extracts))
    except CompletionError as error:
        log.warning("a question goes on without the model", model=model.name, reason=error.message)
        return extractive_answer(context)
    return generated_answer(read_answer(completion.text, extracts), extracts, context, model.name)


def generated_answer(
    reply: ReadReply, extracts: Sequence[PassageExtract], context: RetrievedContext, model: str
) -> Answer:
    """The answer from the supported sentences.

    Where none is supported, the passages that the model finds to hold the answer are quoted, in its order;
    without any, the articles don't hold the answer.
    """
    numbers = citation_numbers([sentence.number for sentence in reply.sentences])
    blocks = tuple(join_blocks(reply.sentences, numbers))
    if blocks and has_no_active_markup("\n\n".join(blocks)):
        sources = tuple(cited_passage(n, extracts[number - 1]) for number, n in numbers.items())
        return Answer(blocks, True, context.confidence, sources, model)
    best = [extracts[number - 1].passage for number in reply.best]
    return extractive_answer(replace(context, passages=best)) if best else no_answer(context)
