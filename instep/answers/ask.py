"""The answer to a question: from the passages that the search finds, or that the articles don't hold it.

Every face asks here: `ask` alone answers in the articles' own words; `consulting` has a model write them out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from instep.answers.citing import Source, is_inert, written
from instep.answers.extracting import Question, Reading, extract, read_passage, units_of
from instep.answers.following import asked_with, leaning, refers_back
from instep.answers.words import words_for
from instep.core import limits
from instep.core.terms import terms_of
from instep.identity.schemas import Ctx
from instep.search.excerpts import cut
from instep.search.retrieve import retrieve
from instep.search.schemas import Passage, Audience, Retrieval, Signals

WHOLE = 0.999
# As sure as that of what is needed alone: half of what a question that goes on is searched for is old.
GOING_ON = 0.5
# Of a sentence, by which it is found again.
BEGINNING = 30


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the language wanted, the questions before it, and what the visitor may see."""

    text: str
    locale: str | None = None
    earlier: tuple[str, ...] = ()
    audience: Audience = "public"


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the search found for a question; `text` is the question with what it refers back to."""

    text: str
    locale: str
    passages: list[Passage]
    confidence: float

    @property
    def hold_the_answer(self) -> bool:
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


async def ask(ctx: Ctx, asked: Asked) -> Answer:
    """Answer in the articles' own words, or decline."""
    return extracted(await find_grounds(ctx, asked))


async def find_grounds(ctx: Ctx, asked: Asked) -> Grounds:
    """Search for the question as it stands, or together with what it goes on from, whichever is surer."""
    alone = asked.text
    whole = asked_with(alone, asked.earlier)
    if whole == alone:
        return await find(ctx, asked, alone)
    first, second = (whole, alone) if refers_back(alone) else (alone, whole)
    found = await find(ctx, asked, first)
    if found.hold_the_answer:
        return found
    other = await find(ctx, asked, second)
    return other if other.confidence > found.confidence else found


async def find(ctx: Ctx, asked: Asked, wording: str) -> Grounds:
    """In the language wanted; where nothing is written in that, in all of them."""
    found = await look_for(ctx, asked, wording, asked.locale)
    if not found.passages and asked.locale is not None:
        found = await look_for(ctx, asked, wording, None)
    passages, sure = found.passages, found.signals.confidence
    if wording == asked.text:
        is_enough = holds_all(found.signals, wording)
    else:
        passages, goes_on = leaning(passages, asked.text)
        is_enough = goes_on and sure >= limits.ANSWER_THRESHOLD * GOING_ON
    if is_enough:
        sure = max(sure, limits.ANSWER_THRESHOLD)
    confidence = round(min(1.0, max(0.0, sure)), 3) if passages else 0.0
    return Grounds(wording, asked.locale or ctx.bot.locale, passages, confidence)


def holds_all(signals: Signals, question: str) -> bool:
    """Whether one passage holds every word of a question that is more than a word."""
    return signals.unknown == 0 and signals.coverage >= WHOLE and len(terms_of(question)) > 1


async def look_for(ctx: Ctx, asked: Asked, wording: str, locale: str | None) -> Retrieval:
    return await retrieve(ctx, wording, locale, limit=limits.MAX_PASSAGES_RETRIEVED, audience=asked.audience)


def extracted(grounds: Grounds) -> Answer:
    if not grounds.hold_the_answer:
        return declined(grounds)
    readings = extract(grounds.text, grounds.passages)
    blocks = [block for n, reading in enumerate(readings, 1) for block in written(reading.blocks, n)]
    blocks = [block for block in blocks if is_inert(block)]
    if not blocks or not is_inert("\n\n".join(blocks)):
        return declined(grounds)
    sources = tuple(source_of(n, reading) for n, reading in enumerate(readings, 1))
    return Answer(tuple(blocks), True, grounds.confidence, sources)


def declined(grounds: Grounds) -> Answer:
    """It says so, offers a person, and names the nearest articles."""
    readings = nearest_readings(grounds)
    words = words_for(grounds.locale)
    blocks = [words.declined, words.nearest if readings else "", words.person]
    sources = tuple(source_of(n, reading) for n, reading in enumerate(readings, 1))
    return Answer((" ".join(filter(None, blocks)),), False, grounds.confidence, sources)


def nearest_readings(grounds: Grounds) -> list[Reading]:
    """The best passage of each of the nearest articles."""
    question = Question(grounds.text, grounds.passages)
    first: dict[str, Passage] = {}
    for passage in grounds.passages:
        first.setdefault(passage.article_id, passage)
    return [read_passage(passage, question) for passage in list(first.values())[: limits.MAX_NEAREST_ARTICLES]]


def source_of(n: int, reading: Reading) -> Source:
    """With so much of what was read of the passage as an excerpt holds, around its best sentence."""
    passage = reading.passage
    text = " ".join(" ".join(unit.plain.split()) for unit in units_of(reading))
    best = " ".join(passage.text[slice(*passage.best)].split())
    return Source(n, passage, cut(text, max(0, text.find(best[:BEGINNING]))))


def renumbered(numbers: Sequence[int]) -> dict[int, int]:
    """The numbers of passages as those of sources: in the order in which they are named."""
    return {number: n for n, number in enumerate(dict.fromkeys(numbers), 1)}
