"""Extractive answers: the parts of the best passages that bear on a question, in the articles' own words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, log

from instep.answers.answer_blocks import AnswerBlock, AnswerUnit, read_answer_blocks
from instep.answers.step_lists import are_steps, steps_in_a_row, with_place
from instep.core import limits
from instep.search.question_kinds import kind_of_question
from instep.search.schemas import Passage
from instep.text.terms import terms_of

# A planted text addresses the model; articles never address their readers in these words.
PROMPT_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:instruction|prompt|rule|direction|guideline)s?\b"
    r"|\b(?:repeat|print|show|reveal|output|display|translate|encode)\b.{0,60}"
    r"\b(?:system prompt|your (?:\w+ ){0,2}(?:instructions|prompt))"
    r"|\byou are now\b.{0,40}\b(?:mode|assistant|AI|DAN)\b"
    r"|\byour (?:final )?(?:response|reply|answer|output) (?:should|must|by|with|in)\b"
    r"|\b(?:in|into|to|of|with) your (?:final )?(?:response|reply|answer|solution)\b",
    re.IGNORECASE,
)
# A further passage is used if its section is at least this share as likely to answer as the first one, or if
# its score is at least this share of the best one's, and the terms that it adds have at least this share of
# the question's weight (all 0..1).
MIN_RELATIVE_LIKELIHOOD = 0.5
MIN_RELATIVE_SCORE = 0.75
MIN_ADDED_WEIGHT_SHARE = 0.25
# What a command or steps weigh for a question how to do something, as a share of the question's weight.
ACT_SHARE = 0.5
# A long paragraph or table is shortened to this many sentences or rows.
MAX_UNITS = 6


@dataclass(frozen=True, slots=True)
class PassageExtract:
    """A passage, and the blocks of it that an answer may use."""

    passage: Passage
    blocks: tuple[AnswerBlock, ...]

    @property
    def size(self) -> int:
        return sum(map(size_of, self.blocks))


class QuestionTerms:
    """The terms of a question, each weighted by its inverse document frequency among the passages."""

    def __init__(self, question: str, passages: Sequence[Passage]) -> None:
        self.terms = terms_of(question)
        self.is_how_to = kind_of_question(question) == "how_to"
        documents = [terms_of(f"{title_and_headings(passage)} {passage.text}") for passage in passages]
        self.weights = {
            term: log((len(documents) + 1) / (sum(term in terms for terms in documents) + 0.5)) + 0.1
            for term in self.terms
        }

    @property
    def total_weight(self) -> float:
        return sum(self.weights.values())

    def weight_of(self, terms: Iterable[str]) -> float:
        return sum(self.weights.get(term, 0) for term in set(terms))


def title_and_headings(passage: Passage) -> str:
    return " ".join((passage.title, *passage.headings))


def size_of(block: AnswerBlock) -> int:
    """About the number of words. Terms count too, because some scripts have no spaces."""
    return sum(len(terms_of(unit.plain)) + unit.plain.count(" ") for unit in block.units) // 2 + 1


def read_passage(passage: Passage, question: QuestionTerms) -> PassageExtract:
    """The coherent part of a passage: a sentence that shares no term with the text around it is left out."""
    blocks = read_answer_blocks(passage.shown_markdown)
    subject_terms = terms_of(title_and_headings(passage)) | terms_of(passage.lead) | question.terms
    units_terms = [(block, terms_of(unit.plain)) for block in blocks for unit in block.units]
    coherent: list[AnswerBlock] = []
    was_left_out = False
    for block in blocks:
        # A block that a left-out sentence announces is left out with it.
        if was_left_out and block.kind != "prose":
            continue
        other_terms = subject_terms.union(*(terms for other, terms in units_terms if other is not block))
        units = tuple(unit for unit in block.units if is_coherent(unit, block, other_terms))
        was_left_out = not units or (block.kind == "prose" and units[-1] is not block.units[-1])
        if units:
            coherent.append(replace(block, units=units))
    return PassageExtract(passage, tuple(coherent or filter(is_for_readers, blocks)))


def is_for_readers(block: AnswerBlock) -> bool:
    return not any(PROMPT_INJECTION.search(unit.plain) for unit in block.units)


def is_coherent(unit: AnswerUnit, block: AnswerBlock, other_terms: frozenset[str]) -> bool:
    if not is_for_readers(block):
        return False
    if block.kind != "prose":
        return True
    terms = terms_of(unit.plain)
    context = other_terms.union(*(terms_of(other.plain) for other in block.units if other is not unit))
    return not terms or not terms.isdisjoint(context)


def extract_passages(query: str, passages: Sequence[Passage]) -> list[PassageExtract]:
    """The extracts that answer a question, best passage first; empty if no passage has readable blocks."""
    question = QuestionTerms(query, passages)
    chosen: list[PassageExtract] = []
    used_units: set[str] = set()
    open_weights = dict(question.weights)
    for passage in passages[: limits.MAX_ANSWER_PASSAGES]:
        extract = without_units(read_passage(passage, question), used_units)
        if not extract.blocks or (chosen and not adds(extract, passages[0], open_weights, question)):
            continue
        most_words = limits.MAX_HOW_TO_WORDS if question.is_how_to else limits.MAX_ANSWER_WORDS
        max_words = most_words if not chosen else limits.MAX_ANSWER_WORDS // 2
        extract = shorten_extract(extract, question, max_words)
        blocks = with_place(
            extract.blocks, read_answer_blocks(passage.shown_markdown), *passage.steps, passage.locale
        )
        chosen.append(replace(extract, blocks=blocks))
        used_units.update(unit.plain for unit in extracted_units(extract))
        texts = [title_and_headings(passage), *(unit.plain for unit in extracted_units(extract))]
        answered = frozenset[str]().union(*map(terms_of, texts))
        open_weights = {term: weight for term, weight in open_weights.items() if term not in answered}
    return chosen


def adds(
    extract: PassageExtract, best: Passage, open_weights: dict[str, float], question: QuestionTerms
) -> bool:
    """Whether a further passage may well be the one that answers, or has enough of the open terms."""
    passage = extract.passage
    if passage.locale != best.locale:
        return False
    is_of_best_section = (passage.article_id, passage.headings) == (best.article_id, best.headings)
    likelihood = exp(passage.section_score - best.section_score)
    if not is_of_best_section and likelihood >= MIN_RELATIVE_LIKELIHOOD:
        return True
    if passage.score < MIN_RELATIVE_SCORE * best.score:
        return False
    terms = terms_of(passage.text)
    added_weight = sum(weight for term, weight in open_weights.items() if term in terms)
    return added_weight > MIN_ADDED_WEIGHT_SHARE * question.total_weight


def without_units(extract: PassageExtract, used_units: set[str]) -> PassageExtract:
    blocks = [
        replace(block, units=tuple(unit for unit in block.units if unit.plain not in used_units))
        for block in extract.blocks
    ]
    return replace(extract, blocks=tuple(block for block in blocks if block.units))


def extracted_units(extract: PassageExtract) -> list[AnswerUnit]:
    return [unit for block in extract.blocks for unit in block.units]


def shorten_extract(extract: PassageExtract, question: QuestionTerms, max_words: int) -> PassageExtract:
    """A short passage whole; the blocks of a longer one that bear most on the question, in their order."""
    blocks = extract.blocks
    if extract.size <= max_words:
        return extract
    best_terms = terms_of(extract.passage.text[slice(*extract.passage.best)])
    weights = [block_weight(block, question, best_terms) for block in blocks]
    chosen: set[int] = set()
    for index in sorted(range(len(blocks)), key=lambda index: (-weights[index], index)):
        added = announced_group(blocks, index) - chosen
        size = sum(size_of(blocks[position]) for position in chosen | added)
        if chosen and (not weights[index] or size > max_words):
            continue
        chosen |= added
    shortened = [shorten_block(blocks[index], question, best_terms, max_words) for index in sorted(chosen)]
    return replace(extract, blocks=tuple(shortened))


def block_weight(block: AnswerBlock, question: QuestionTerms, best_terms: frozenset[str]) -> float:
    """The weight of the question's terms in a block; the block with the best sentence gets most."""
    # A table says in its head what its rows are about.
    terms = terms_of(block.head).union(*(terms_of(unit.plain) for unit in block.units))
    share = len(terms & best_terms) / len(best_terms) if best_terms else 0
    is_act = question.is_how_to and (block.kind == "code" or are_steps(block))
    return question.weight_of(terms) + (share + ACT_SHARE * is_act) * question.total_weight


def announced_group(blocks: Sequence[AnswerBlock], index: int) -> set[int]:
    """The indices of a block, of the blocks that announce it, and of those that it announces."""
    first = index
    while first > 0 and blocks[first - 1].announces(blocks[first]):
        first -= 1
    last = index
    while last + 1 < len(blocks) and blocks[last].announces(blocks[last + 1]):
        last += 1
    return set(range(first, last + 1))


def shorten_block(
    block: AnswerBlock, question: QuestionTerms, best_terms: frozenset[str], max_words: int
) -> AnswerBlock:
    """Lists have a limit of their own, because steps belong together; code stays whole."""
    max_size = limits.MAX_ANSWER_LIST_WORDS if block.kind == "list" else max_words
    if block.kind == "code" or size_of(block) <= max_size:
        return block

    def weight(unit: AnswerUnit) -> float:
        terms = terms_of(unit.plain)
        return question.weight_of(terms) + len(terms & best_terms) / (len(best_terms) or 1)

    if are_steps(block):
        return steps_in_a_row(block, weight, size_of, max_size)
    best_units = sorted(block.units, key=lambda unit: -weight(unit))[:MAX_UNITS]
    return replace(block, units=tuple(unit for unit in block.units if unit in best_units))
