"""Answers that a model writes out, between two transactions and within the bot's daily budget.

Without a model, or when it gives no completion, the answer is in the articles' own words.
"""

from collections.abc import Sequence

import structlog

from instep.answers.ask import RetrievedContext, citation_numbers, cited_passage, extractive_answer, no_answer
from instep.answers.citing import has_no_active_markup
from instep.answers.extractive import PassageExtract, QuestionTerms, read_passage
from instep.answers.generative import SupportedSentence, join_blocks, prompt_for, supported_sentences
from instep.answers.schemas import Answer
from instep.llm.budget import Enter, visitor_model
from instep.llm.protocol import CompletionError, Model

log = structlog.get_logger()


async def answer_with_model(
    enter: Enter, model: Model | None, context: RetrievedContext, earlier: tuple[str, ...]
) -> Answer:
    if model is None or not context.is_answerable:
        return extractive_answer(context)
    question = QuestionTerms(context.query, context.passages)
    extracts = [read_passage(passage, question) for passage in context.passages]
    try:
        completion = await visitor_model(model, enter).complete(prompt_for(context.query, earlier, extracts))
    except CompletionError as error:
        log.warning("a question goes on without the model", model=model.name, reason=error.message)
        return extractive_answer(context)
    sentences = supported_sentences(completion.text, extracts)
    return generated_answer(sentences, extracts, context, model.name)


def generated_answer(
    sentences: Sequence[SupportedSentence],
    extracts: Sequence[PassageExtract],
    context: RetrievedContext,
    model: str,
) -> Answer:
    """The answer from the supported sentences; without any, the articles don't hold the answer."""
    numbers = citation_numbers([sentence.number for sentence in sentences])
    blocks = tuple(join_blocks(sentences, numbers))
    if not sentences or not has_no_active_markup("\n\n".join(blocks)):
        return no_answer(context)
    sources = tuple(cited_passage(n, extracts[number - 1]) for number, n in numbers.items())
    return Answer(blocks, True, context.confidence, sources, model)
