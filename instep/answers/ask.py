"""The answer to a question: from the passages that the search finds, or that the articles don't hold it.

Every face asks here: `ask` alone answers in the articles' own words; `consulting` has a model write them out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from instep.answers.citing import Source, has_no_active_markup, render_with_citations
from instep.answers.extractive import PassageExtract, QuestionTerms, extract, extracted_units, read_passage
from instep.answers.follow_up import contextualize, is_follow_up, rerank_for_follow_up
from instep.answers.texts import texts_for
from instep.core import limits
from instep.identity.schemas import Ctx
from instep.search.excerpts import cut
from instep.search.retrieve import retrieve
from instep.search.schemas import Audience, Passage, Retrieval, Signals
from instep.text.terms import terms_of

FULL_COVERAGE = 0.999
# As sure as that of what is needed alone: half of what a question that goes on is searched for is old.
FOLLOW_UP_THRESHOLD_FACTOR = 0.5
# Of a sentence, by which it is found again.
QUOTE_CHARACTERS = 30


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """A question, the language wanted, the questions before it, and what the visitor may see."""

    text: str
    locale: str | None = None
    earlier: tuple[str, ...] = ()
    audience: Audience = "public"


@dataclass(frozen=True, slots=True)
class RetrievedContext:
    """What the search found for a question; `text` is the question with what it refers back to."""

    text: str
    locale: str
    passages: list[Passage]
    confidence: float

    @property
    def is_answerable(self) -> bool:
        """The one place that decides whether to answer or to decline."""
        return bool(self.passages) and self.confidence >= limits.ANSWER_THRESHOLD


@dataclass(frozen=True, slots=True)
class Answer:
    """What a visitor is told; `blocks` are the parts of the text, in order."""

    blocks: tuple[str, ...]
    answered: bool
    confidence: float
    sources: tuple[Source, ...]
    model: str | None = None

    @property
    def text(self) -> str:
        return "\n\n".join(self.blocks)


async def ask(ctx: Ctx, asked: QuestionRequest) -> Answer:
    """Answer in the articles' own words, or decline."""
    return extractive_answer(await retrieve_context(ctx, asked))


async def retrieve_context(ctx: Ctx, asked: QuestionRequest) -> RetrievedContext:
    """Search for the question as it stands, or together with what it goes on from, whichever is surer."""
    alone = asked.text
    whole = contextualize(alone, asked.earlier)
    if whole == alone:
        return await try_wording(ctx, asked, alone)
    first, second = (whole, alone) if is_follow_up(alone) else (alone, whole)
    found = await try_wording(ctx, asked, first)
    if found.is_answerable:
        return found
    other = await try_wording(ctx, asked, second)
    return other if other.confidence > found.confidence else found


async def try_wording(ctx: Ctx, asked: QuestionRequest, wording: str) -> RetrievedContext:
    """In the language wanted; where nothing is written in that, in all of them."""
    found = await retrieve_in_locale(ctx, asked, wording, asked.locale)
    if not found.passages and asked.locale is not None:
        found = await retrieve_in_locale(ctx, asked, wording, None)
    passages, sure = found.passages, found.signals.confidence
    if wording == asked.text:
        is_enough = covers_all_terms(found.signals, wording)
    else:
        passages, goes_on = rerank_for_follow_up(passages, asked.text)
        is_enough = goes_on and sure >= limits.ANSWER_THRESHOLD * FOLLOW_UP_THRESHOLD_FACTOR
    if is_enough:
        sure = max(sure, limits.ANSWER_THRESHOLD)
    confidence = round(min(1.0, max(0.0, sure)), 3) if passages else 0.0
    return RetrievedContext(wording, asked.locale or ctx.bot.locale, passages, confidence)


def covers_all_terms(signals: Signals, question: str) -> bool:
    """Whether one passage holds every word of a question that is more than a word."""
    return signals.unknown == 0 and signals.coverage >= FULL_COVERAGE and len(terms_of(question)) > 1


async def retrieve_in_locale(ctx: Ctx, asked: QuestionRequest, wording: str, locale: str | None) -> Retrieval:
    return await retrieve(ctx, wording, locale, limit=limits.MAX_PASSAGES_RETRIEVED, audience=asked.audience)


def extractive_answer(grounds: RetrievedContext) -> Answer:
    if not grounds.is_answerable:
        return no_answer(grounds)
    readings = extract(grounds.text, grounds.passages)
    blocks = [
        block for n, reading in enumerate(readings, 1) for block in render_with_citations(reading.blocks, n)
    ]
    blocks = [block for block in blocks if has_no_active_markup(block)]
    if not blocks or not has_no_active_markup("\n\n".join(blocks)):
        return no_answer(grounds)
    sources = tuple(source_of(n, reading) for n, reading in enumerate(readings, 1))
    return Answer(tuple(blocks), True, grounds.confidence, sources)


def no_answer(grounds: RetrievedContext) -> Answer:
    """It says so, offers a person, and names the nearest articles."""
    readings = nearest_extracts(grounds)
    words = texts_for(grounds.locale)
    blocks = [words.no_answer, words.nearest if readings else "", words.person]
    sources = tuple(source_of(n, reading) for n, reading in enumerate(readings, 1))
    return Answer((" ".join(filter(None, blocks)),), False, grounds.confidence, sources)


def nearest_extracts(grounds: RetrievedContext) -> list[PassageExtract]:
    """The best passage of each of the nearest articles."""
    question = QuestionTerms(grounds.text, grounds.passages)
    first: dict[str, Passage] = {}
    for passage in grounds.passages:
        first.setdefault(passage.article_id, passage)
    return [
        read_passage(passage, question) for passage in list(first.values())[: limits.MAX_NEAREST_ARTICLES]
    ]


def source_of(n: int, reading: PassageExtract) -> Source:
    """With so much of what was read of the passage as an excerpt holds, around its best sentence."""
    passage = reading.passage
    text = " ".join(" ".join(unit.plain.split()) for unit in extracted_units(reading))
    best = " ".join(passage.text[slice(*passage.best)].split())
    return Source(n, passage, cut(text, max(0, text.find(best[:QUOTE_CHARACTERS]))))


def renumbered(numbers: Sequence[int]) -> dict[int, int]:
    """The numbers of passages as those of sources: in the order in which they are named."""
    return {number: n for n, number in enumerate(dict.fromkeys(numbers), 1)}
