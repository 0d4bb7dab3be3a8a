"""An answer out of the articles' own words: those parts of the best passages that bear on a question."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import log

from instep.answers.blocks import Block, Unit, read_blocks
from instep.core import limits
from instep.search.schemas import Passage
from instep.text.terms import terms_of

# Whoever plants a text for a model speaks to it, and no article does so to its readers.
PROMPT_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:instruction|prompt|rule|direction|guideline)s?\b"
    r"|\b(?:repeat|print|show|reveal|output|display|translate|encode)\b.{0,60}"
    r"\b(?:system prompt|your (?:\w+ ){0,2}(?:instructions|prompt))"
    r"|\byou are now\b.{0,40}\b(?:mode|assistant|AI|DAN)\b"
    r"|\byour (?:final )?(?:response|reply|answer|output) (?:should|must|by|with|in)\b"
    r"|\b(?:in|into|to|of|with) your (?:final )?(?:response|reply|answer|solution)\b",
    re.IGNORECASE,
)
# Another passage adds to the answer if it is nearly as good and holds as much that the first does not.
MIN_RELATIVE_WEIGHT = 0.75
MIN_ADDED_SHARE = 0.25
MAX_ROWS = 6


@dataclass(frozen=True, slots=True)
class PassageExtract:
    """A passage as an answer may use it, with what each of its blocks says."""

    passage: Passage
    blocks: tuple[Block, ...]

    @property
    def size(self) -> int:
        return sum(map(size_of, self.blocks))


class QuestionTerms:
    """The words of a question, each with as much weight as it is rare among the passages that were found."""

    def __init__(self, text: str, passages: Sequence[Passage]) -> None:
        self.terms = terms_of(text)
        held = [terms_of(f"{title_and_headings(passage)} {passage.text}") for passage in passages]
        self.weights = {
            term: log((len(held) + 1) / (sum(term in terms for terms in held) + 0.5)) + 0.1
            for term in self.terms
        }

    def weigh(self, terms: Iterable[str]) -> float:
        return sum(self.weights.get(term, 0) for term in set(terms))


def title_and_headings(passage: Passage) -> str:
    return " ".join((passage.title, *passage.headings))


def size_of(block: Block) -> int:
    """In words, about; signs of scripts without blanks count too."""
    return sum(len(terms_of(unit.plain)) + unit.plain.count(" ") for unit in block.units) // 2 + 1


def read_passage(passage: Passage, question: QuestionTerms) -> PassageExtract:
    """What belongs together in a passage: a sentence that shares no word with what is around is left out."""
    blocks = read_blocks(passage.markdown)
    known = terms_of(title_and_headings(passage)) | question.terms
    said = [(block, terms_of(unit.plain)) for block in blocks for unit in block.units]
    kept: list[Block] = []
    was_left_out = False
    for block in blocks:
        # What a sentence announces goes with it.
        if was_left_out and block.kind != "prose":
            continue
        around = known.union(*(terms for other, terms in said if other is not block))
        units = tuple(unit for unit in block.units if belongs_to_answer(unit, block, around))
        was_left_out = not units or (block.kind == "prose" and units[-1] is not block.units[-1])
        if units:
            kept.append(replace(block, units=units))
    return PassageExtract(passage, tuple(kept or filter(is_for_readers, blocks)))


def is_for_readers(block: Block) -> bool:
    return not any(PROMPT_INJECTION.search(unit.plain) for unit in block.units)


def belongs_to_answer(unit: Unit, block: Block, around: frozenset[str]) -> bool:
    if not is_for_readers(block):
        return False
    if block.kind != "prose":
        return True
    terms = terms_of(unit.plain)
    beside = around.union(*(terms_of(other.plain) for other in block.units if other is not unit))
    return not terms or not terms.isdisjoint(beside)


def extract(text: str, passages: Sequence[Passage]) -> list[PassageExtract]:
    """What answers a question, passage by passage; nothing where nothing of them can be read."""
    question = QuestionTerms(text, passages)
    chosen: list[PassageExtract] = []
    said: set[str] = set()
    left = dict(question.weights)
    for passage in passages[: limits.MAX_ANSWER_PASSAGES]:
        reading = without(read_passage(passage, question), said)
        if not reading.blocks or (chosen and not adds(reading, passages[0], left, question)):
            continue
        room = limits.MAX_ANSWER_WORDS if not chosen else limits.MAX_ANSWER_WORDS // 2
        part = choose(reading, question, room)
        chosen.append(part)
        for unit in extracted_units(part):
            said.add(unit.plain)
            left = {term: weight for term, weight in left.items() if term not in terms_of(unit.plain)}
        left = {
            term: weight for term, weight in left.items() if term not in terms_of(title_and_headings(passage))
        }
    return chosen


def adds(reading: PassageExtract, best: Passage, left: dict[str, float], question: QuestionTerms) -> bool:
    passage = reading.passage
    if passage.locale != best.locale or passage.score < MIN_RELATIVE_WEIGHT * best.score:
        return False
    new = sum(weight for term, weight in left.items() if term in terms_of(passage.text))
    return new > MIN_ADDED_SHARE * sum(question.weights.values())


def without(reading: PassageExtract, said: set[str]) -> PassageExtract:
    blocks = [
        replace(block, units=tuple(unit for unit in block.units if unit.plain not in said))
        for block in reading.blocks
    ]
    return replace(reading, blocks=tuple(block for block in blocks if block.units))


def extracted_units(reading: PassageExtract) -> list[Unit]:
    return [unit for block in reading.blocks for unit in block.units]


def choose(reading: PassageExtract, question: QuestionTerms, room: int) -> PassageExtract:
    """The passage whole where it is short; of a longer one the blocks that bear on the question, in order."""
    blocks = reading.blocks
    if reading.size <= room:
        return reading
    best = terms_of(reading.passage.text[slice(*reading.passage.best)])
    worth = [weight_of(block, question, best) for block in blocks]
    kept: set[int] = set()
    for at in sorted(range(len(blocks)), key=lambda at: (-worth[at], at)):
        more = tied_to(blocks, at) - kept
        if kept and (not worth[at] or sum(size_of(blocks[each]) for each in kept | more) > room):
            continue
        kept |= more
    shown = [shortened(blocks[at], question, best, room) for at in sorted(kept)]
    return replace(reading, blocks=tuple(shown))


def weight_of(block: Block, question: QuestionTerms, best: frozenset[str]) -> float:
    """Most for the block with the sentence that the search found best."""
    terms = frozenset[str]().union(*(terms_of(unit.plain) for unit in block.units))
    share = len(terms & best) / len(best) if best else 0
    return question.weigh(terms) + share * sum(question.weights.values())


def tied_to(blocks: Sequence[Block], at: int) -> set[int]:
    """A block with the sentence that announces it, and with what it announces."""
    first = at
    while first > 0 and blocks[first - 1].announces(blocks[first]):
        first -= 1
    last = at
    while last + 1 < len(blocks) and blocks[last].announces(blocks[last + 1]):
        last += 1
    return set(range(first, last + 1))


def shortened(block: Block, question: QuestionTerms, best: frozenset[str], room: int) -> Block:
    """Steps and code stay whole; of a long paragraph or table what bears on the question."""
    most = limits.MAX_ANSWER_LIST_WORDS if block.kind == "list" else room
    if block.kind == "code" or size_of(block) <= most:
        return block
    return fewer(block, question, best)


def fewer(block: Block, question: QuestionTerms, best: frozenset[str]) -> Block:
    def worth(unit: Unit) -> float:
        terms = terms_of(unit.plain)
        return question.weigh(terms) + len(terms & best) / (len(best) or 1)

    found = sorted(block.units, key=lambda unit: -worth(unit))[:MAX_ROWS]
    return replace(block, units=tuple(unit for unit in block.units if unit in found))
