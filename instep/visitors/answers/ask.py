"""Answers in the articles' own words: retrieve passages, decide whether they answer the question, extract.

Without a model `RetrievedContext.is_answerable` and `sureness` decide for all faces whether a question is
answered or declined; with one `model_answer` lets it decide and write.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.search.excerpts import cut, joined_lines, letters_in, place_after
from instep.search.passage_kinds import answers_questions
from instep.search.retrieve import by_language, in_one_language, retrieve
from instep.search.schemas import Audience, Passage, Retrieval
from instep.visitors.answers.asked_headings import blocks_with_headings
from instep.visitors.answers.citing import has_no_active_markup, render_with_citations
from instep.visitors.answers.extractive import (
    MIN_RELATIVE_LIKELIHOOD,
    PassageExtract,
    QuestionTerms,
    extract_passages,
    extracted_units,
    read_passage,
)
from instep.visitors.answers.follow_up import contextualize, is_follow_up, rerank_for_follow_up
from instep.visitors.answers.queries import find_read_version
from instep.visitors.answers.reply_texts import texts_for
from instep.visitors.answers.schemas import Answer, CitedPassage
from instep.visitors.answers.small_talk import TalkKind, kind_of_talk
from instep.visitors.answers.sureness import says_what_is_asked

# A follow-up needs only half the usual confidence: half of its search terms come from earlier questions.
FOLLOW_UP_THRESHOLD_FACTOR = 0.5
# Names in Latin letters, such as a product's, occur in several languages, so they give no reason to answer in
# another language.
OTHER_LANGUAGE_THRESHOLD = 0.75
LATIN_LETTER = re.compile(r"[A-Za-z]")
# Characters of a sentence by which it is located again in the article.
QUOTE_CHARACTERS = 30


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """A question, the language to answer in, the earlier questions, and whose articles may be read."""

    text: str
    locale: str | None = None
    earlier: tuple[str, ...] = ()
    audience: Audience = "public"


@dataclass(frozen=True, slots=True)
class RetrievedContext:
    """The passages retrieved for a question, best first.

    `query` is the question, with the earlier ones if it refers to them. `confidence` (0..1) is the
    probability that the passages contain the answer.
    """

    query: str
    locale: str
    passages: list[Passage]
    confidence: float
    # The kind of a text that asks nothing; None for a question.
    talk: TalkKind | None = None

    @property
    def is_answerable(self) -> bool:
        """True if words alone make an answer likely enough. A model decides for itself."""
        return bool(self.passages) and self.confidence >= limits.ANSWER_THRESHOLD


async def answer_from_articles(ctx: Ctx, request: QuestionRequest) -> Answer:
    """Answer in the articles' own words, or decline."""
    return extractive_answer(await retrieve_context(ctx, request))


async def answer_for_visitors(ctx: Ctx, request: QuestionRequest, article_id: str | None = None) -> Answer:
    """The same answer as visitors get who read an article, or the current version of the product."""
    version = await find_read_version(ctx, article_id)
    return await answer_from_articles(replace(ctx, bot=ctx.bot.in_version(version)), request)


async def retrieve_context(ctx: Ctx, request: QuestionRequest) -> RetrievedContext:
    """Search for the question alone and with the earlier ones, and take the context with more confidence."""
    standalone = request.text
    talk = kind_of_talk(standalone)
    if talk is not None and not (talk == "unclear" and request.earlier):
        return RetrievedContext(standalone, request.locale or ctx.bot.locale, [], 0.0, talk)
    contextualized = contextualize(standalone, request.earlier)
    if contextualized == standalone:
        return await try_wording(ctx, request, standalone)
    queries = (contextualized, standalone) if is_follow_up(standalone) else (standalone, contextualized)
    first = await try_wording(ctx, request, queries[0])
    if first.is_answerable:
        return first
    second = await try_wording(ctx, request, queries[1])
    return second if second.confidence > first.confidence else first


async def try_wording(ctx: Ctx, request: QuestionRequest, query: str) -> RetrievedContext:
    """Search in the requested language and, if its articles don't answer, in others; without one, in all."""
    find = partial(
        retrieve,
        ctx,
        query,
        limit=limits.MAX_PASSAGES_RETRIEVED,
        audience=request.audience,
        candidates=limits.MAX_PASSAGES_COMPARED,
    )
    locale = request.locale or ctx.bot.locale
    if request.locale is None:
        return context_of(request, locale, query, in_one_language(await find()))
    first: RetrievedContext | None = None
    async for retrieval in by_language(ctx, locale, find):
        context = context_of(request, locale, query, retrieval)
        if extractive_answer(context).answered:
            return context
        first = first if first and first.passages else context
    return first or RetrievedContext(query, locale, [], 0.0)


def context_of(request: QuestionRequest, locale: str, query: str, retrieval: Retrieval) -> RetrievedContext:
    passages, confidence = retrieval.passages, retrieval.signals.confidence
    if query != request.text:
        passages, is_continued = rerank_for_follow_up(passages, request.text)
        if not is_continued:
            # The passages are about the earlier questions alone.
            confidence = 0.0
        elif confidence >= limits.ANSWER_THRESHOLD * FOLLOW_UP_THRESHOLD_FACTOR:
            confidence = max(confidence, limits.ANSWER_THRESHOLD)
    elif confidence < OTHER_LANGUAGE_THRESHOLD and shares_only_names(query, request.locale, retrieval):
        confidence = min(confidence, limits.ANSWER_THRESHOLD - 0.01)
    confidence = round(min(1.0, max(0.0, confidence)), 3) if passages else 0.0
    return RetrievedContext(query, locale, passages, confidence)


def shares_only_names(query: str, locale: str | None, retrieval: Retrieval) -> bool:
    """True if passages may match by names alone: theirs is not the asked language, which has articles."""
    if locale not in retrieval.locales or not retrieval.passages or not LATIN_LETTER.search(query):
        return False
    return retrieval.passages[0].locale.partition("-")[0] != locale.partition("-")[0]


def extractive_answer(context: RetrievedContext) -> Answer:
    if context.talk is not None:
        return talk_answer(context.talk, context.locale)
    if not context.is_answerable:
        return declined_answer(context)
    extracts = quotable_extracts(context)
    terms = QuestionTerms(context.query, context.passages)
    if extracts and not says_what_is_asked(extracts[0], context.query, terms):
        context = replace(context, confidence=min(context.confidence, limits.ANSWER_THRESHOLD - 0.01))
        return declined_answer(context)
    return answer_from(extracts, context) or declined_answer(context)


def quotable_extracts(context: RetrievedContext) -> list[PassageExtract]:
    """The passages that may be quoted: none begins in the middle of the steps of its section."""
    passages = [each for each in context.passages if answers_questions(each.kind) and not each.steps[0]]
    return extract_passages(context.query, passages)


def answer_from(extracts: Sequence[PassageExtract], context: RetrievedContext) -> Answer | None:
    """The answer that quotes these extracts; None if nothing of them can be quoted."""
    blocks = tuple(
        block
        for n, quoted in enumerate(blocks_with_headings(extracts), 1)
        for block in render_with_citations(quoted, n)
        if has_no_active_markup(block)
    )
    if not blocks or not has_no_active_markup("\n\n".join(blocks)):
        return None
    return Answer(blocks, True, context.confidence, cited_passages(extracts))


def talk_answer(kind: TalkKind, locale: str) -> Answer:
    """The reply to a text that asks nothing: a sentence and, for a command, what can be asked."""
    texts = texts_for(locale)
    purpose = f"{texts.purpose} {texts.person}"
    replies = {"thanks": texts.welcome, "insult": purpose, "command": purpose}
    text = replies.get(kind, texts.greeting)
    return Answer((text,), False, 0.0, (), is_small_talk=True)


def declined_answer(context: RetrievedContext) -> Answer:
    """An answer that offers a person; if the search is sure enough, the nearest articles are its sources."""
    nearest = nearest_extracts(context) if context.confidence >= limits.MAY_HELP_THRESHOLD else []
    texts = texts_for(context.locale)
    text = " ".join(filter(None, [texts.no_answer, texts.nearest if nearest else "", texts.person]))
    return Answer((text,), False, context.confidence, cited_passages(nearest), may_help=bool(nearest))


def nearest_extracts(context: RetrievedContext) -> list[PassageExtract]:
    """The best passage of each of the nearest articles: of those that are about as likely as the first."""
    question = QuestionTerms(context.query, context.passages)
    best_by_title: dict[str, Passage] = {}
    for passage in context.passages:
        best_by_title.setdefault(passage.title.casefold(), passage)
    nearest = list(best_by_title.values())[: limits.MAX_NEAREST_ARTICLES]
    least = nearest[0].section_score + log(MIN_RELATIVE_LIKELIHOOD) if nearest else 0.0
    return [read_passage(passage, question) for passage in nearest if passage.section_score >= least]


def cited_passages(extracts: Sequence[PassageExtract]) -> tuple[CitedPassage, ...]:
    """The passages with their numbers, from 1, in this order."""
    return tuple(cited_passage(n, extract) for n, extract in enumerate(extracts, 1))


def cited_passage(n: int, extract: PassageExtract) -> CitedPassage:
    """A passage with an excerpt of what was extracted from it, around its best sentence."""
    passage = extract.passage
    text = joined_lines("".join(unit.readable for unit in extracted_units(extract)).split("\n"))
    best = letters_in(passage.text[slice(*passage.best)])[:QUOTE_CHARACTERS]
    return CitedPassage(n, passage, cut(text, place_after(text, max(0, letters_in(text).find(best)))))
