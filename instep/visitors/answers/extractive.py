"""Extractive answers: the relevant parts of the best passages, in the articles' own words."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import exp, log

from instep.platform.core import limits
from instep.platform.llm.guard import PROMPT_INJECTION
from instep.platform.text.terms import stem, terms_of
from instep.search.question_kinds import kind_of_question
from instep.search.schemas import Passage
from instep.visitors.answers.answer_blocks import AnswerBlock, AnswerUnit, read_answer_blocks
from instep.visitors.answers.step_lists import are_steps, first_steps, with_place

# A further passage is used if its section is at least this share as likely to answer as the first one, or if
# its score is at least this share of the best one's, and the terms that it adds have at least this share of
# the question's weight (all 0..1). After quoted steps that cover all terms, steps of another section would
# look like the next ones: it is used only if it is of the same article and nearly as likely.
MIN_RELATIVE_LIKELIHOOD = 0.5
MIN_FURTHER_STEPS_LIKELIHOOD = 0.8
MIN_RELATIVE_SCORE = 0.75
MIN_ADDED_WEIGHT_SHARE = 0.25
# Questions with their answers are quoted if they have at least this share (0..1) of the weight of the
# question's terms in the best one.
MIN_RELATIVE_WEIGHT = 1 / 3
# The weight of a command or steps for a how-to question, as a share of the question's weight.
ACT_SHARE = 0.5
# So few words say nothing themselves: they introduce a list, a table or code, which stays without them, too.
MAX_INTRODUCTION_WORDS = 7
# A long paragraph or table is shortened to at most this many sentences or rows, as many as the words allow.
MAX_UNITS = 6


@dataclass(frozen=True, slots=True)
class PassageExtract:
    """A passage, and the blocks of it that an answer may use. `is_cut`: its section has more."""

    passage: Passage
    blocks: tuple[AnswerBlock, ...]
    is_cut: bool = False


class QuestionTerms:
    """The terms of a question, each weighted by its inverse document frequency among the passages."""

    def __init__(self, question: str, passages: Sequence[Passage]) -> None:
        stop_words = {stem(word.casefold()) for passage in passages for word in passage.stop_words}
        self.terms = terms_of(question) - stop_words or terms_of(question)
        kind = kind_of_question(question)
        self.is_how_to, self.is_yes_or_no = kind == "how_to", kind == "may_i"
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
    """The coherent part of a passage: a paragraph that shares no term with the text around it is left out."""
    subject_terms = terms_of(title_and_headings(passage)) | terms_of(passage.lead) | question.terms
    all_blocks = read_answer_blocks(passage.markdown)
    blocks = without_stray_lines(all_blocks, subject_terms)
    coherent: list[AnswerBlock] = []
    for group in announced_groups(blocks):
        others = [block for index, block in enumerate(blocks) if index not in group]
        members = [blocks[index] for index in group]
        if is_coherent(members, subject_terms | terms_in(others)):
            coherent += members
    return PassageExtract(passage, tuple(coherent or filter(is_for_readers, all_blocks)))


def without_stray_lines(blocks: Sequence[AnswerBlock], subject_terms: frozenset[str]) -> list[AnswerBlock]:
    """The blocks without labels and questions above a paragraph that share no term with anything around them.

    The paragraph is judged without them, but of several questions one is left out with its answer, which
    would pass for that of the question before. One at the end has its answer in the next passage.
    """
    is_faq = sum(block.is_question for block in blocks) > 1
    remaining: list[AnswerBlock] = []
    is_left_out = False
    for index, block in enumerate(blocks):
        is_left_out = is_left_out and not (block.is_heading or block.is_question)
        if is_stray_line(blocks, index, subject_terms):
            is_left_out = is_faq and block.is_question
        elif not is_left_out:
            remaining.append(block)
    while remaining and remaining[-1].is_heading and remaining[-1].is_question:
        remaining.pop()
    return remaining


def is_stray_line(blocks: Sequence[AnswerBlock], index: int, subject_terms: frozenset[str]) -> bool:
    """True if a label or a question in plain text has nothing to do with the text around it."""
    block, following = blocks[index], blocks[index + 1 : index + 2]
    # A bold line is a heading on its own.
    if block.is_bold or block.is_alert or not (block.is_heading or block.is_label):
        return False
    if any(each.kind != "prose" for each in following):
        return False
    return not is_coherent([block], subject_terms | terms_in([*blocks[:index], *blocks[index + 1 :]]))


def announced_groups(blocks: Sequence[AnswerBlock]) -> list[range]:
    """The indices of the blocks, of each together with those that it announces."""
    groups: list[range] = []
    for index, block in enumerate(blocks):
        is_announced = index > 0 and blocks[index - 1].announces(block)
        first = groups.pop().start if is_announced else index
        groups.append(range(first, index + 1))
    return groups


def terms_in(blocks: Iterable[AnswerBlock]) -> frozenset[str]:
    return frozenset[str]().union(*(terms_of(unit.plain) for block in blocks for unit in block.units))


def is_coherent(group: Sequence[AnswerBlock], other_terms: frozenset[str]) -> bool:
    if not all(map(is_for_readers, group)):
        return False
    # An alert is about the whole section, in words of its own.
    if group[0].kind != "prose" or group[0].is_alert:
        return True
    prose = [block for block in group if block.kind == "prose"]
    if len(group) > len(prose) and word_count(prose) <= MAX_INTRODUCTION_WORDS:
        return True
    # Words of code are found in any text: they are no sign that what announces it belongs there.
    terms = terms_in(block for block in group if block.kind != "code")
    return not terms or not terms.isdisjoint(other_terms)


def word_count(blocks: Sequence[AnswerBlock]) -> int:
    return sum(len(unit.plain.split()) for block in blocks for unit in block.units)


def is_for_readers(block: AnswerBlock) -> bool:
    return not any(PROMPT_INJECTION.search(unit.plain) for unit in block.units)


def extract_passages(query: str, passages: Sequence[Passage]) -> list[PassageExtract]:
    """The extracts that answer a question, best passage first; empty if no passage has readable blocks."""
    question = QuestionTerms(query, passages)
    chosen: list[PassageExtract] = []
    used_units: set[str] = set()
    open_weights = dict(question.weights)
    for passage in passages[: limits.MAX_ANSWER_PASSAGES]:
        extract = without_units(read_passage(passage, question), used_units)
        if question.is_yes_or_no and is_only_code(extract):
            continue
        if not extract.blocks or (chosen and not adds(extract, passages[0], chosen, open_weights, question)):
            continue
        most_words = limits.MAX_HOW_TO_WORDS if question.is_how_to else limits.MAX_ANSWER_WORDS
        max_words = most_words if not chosen else limits.MAX_ANSWER_WORDS // 2
        extract = shorten_extract(extract, question, max_words)
        chosen.append(extract)
        used_units.update(unit.plain for unit in extracted_units(extract))
        texts = [title_and_headings(passage), *(unit.plain for unit in extracted_units(extract))]
        answered = frozenset[str]().union(*map(terms_of, texts))
        open_weights = {term: weight for term, weight in open_weights.items() if term not in answered}
    return chosen


def adds(
    extract: PassageExtract,
    best: Passage,
    chosen: Sequence[PassageExtract],
    open_weights: dict[str, float],
    question: QuestionTerms,
) -> bool:
    """True if a further passage may well be the one that answers, or has enough of the open terms."""
    passage = extract.passage
    if passage.locale != best.locale:
        return False
    is_of_best_section = (passage.article_id, passage.headings) == (best.article_id, best.headings)
    likelihood = exp(passage.section_score - best.section_score)
    terms = terms_of(passage.text)
    if not is_of_best_section and likelihood >= MIN_RELATIVE_LIKELIHOOD:
        has_steps = question.is_how_to and any(are_steps(block) for each in chosen for block in each.blocks)
        is_complete = has_steps and terms.isdisjoint(open_weights)
        is_of_best_article = passage.article_id == best.article_id
        if not is_complete or (is_of_best_article and likelihood >= MIN_FURTHER_STEPS_LIKELIHOOD):
            return True
    if passage.score < MIN_RELATIVE_SCORE * best.score:
        return False
    added_weight = sum(weight for term, weight in open_weights.items() if term in terms)
    return added_weight > MIN_ADDED_WEIGHT_SHARE * question.total_weight


def without_units(extract: PassageExtract, used_units: set[str]) -> PassageExtract:
    blocks = [
        replace(block, units=tuple(unit for unit in block.units if unit.plain not in used_units))
        for block in extract.blocks
    ]
    return replace(extract, blocks=tuple(block for block in blocks if block.units))


def is_only_code(extract: PassageExtract) -> bool:
    """True if there is only code and the text that announces it, which can't mean yes or no."""
    groups = [[extract.blocks[index] for index in group] for group in announced_groups(extract.blocks)]
    return all(any(block.kind == "code" for block in group) for group in groups)


def extracted_units(extract: PassageExtract) -> list[AnswerUnit]:
    return [unit for block in extract.blocks for unit in block.units]


def shorten_extract(extract: PassageExtract, question: QuestionTerms, max_words: int) -> PassageExtract:
    """A short passage whole; the blocks of a longer one that bear most on the question, in their order.

    Questions with their answers are those that were asked, however short the passage is.
    """
    best_terms = terms_of(extract.passage.text[slice(*extract.passage.best)])
    blocks = asked_parts(extract.blocks, question)
    if sum(map(size_of, blocks)) <= max_words:
        return placed(extract, blocks)
    weights = [
        block_weight([blocks[at] for at in heading_above(blocks, index) | {index}], question, best_terms)
        for index in range(len(blocks))
    ]
    groups = {index: set(group) for group in announced_groups(blocks) for index in group}
    chosen: set[int] = set()
    for index in sorted(range(len(blocks)), key=lambda index: (-weights[index], index)):
        added = (groups[index] | heading_above(blocks, index)) - chosen
        size = sum(size_of(blocks[position]) for position in chosen | added)
        if chosen and (not weights[index] or size > max_words):
            continue
        chosen |= added
    chosen |= {at for index in chosen if are_steps(blocks[index]) for at in alerts_beside(blocks, index)}
    shortened = [shorten_block(blocks[index], question, best_terms, max_words) for index in sorted(chosen)]
    return placed(extract, shortened)


def alerts_beside(blocks: Sequence[AnswerBlock], index: int) -> list[int]:
    """The indices of the alerts directly above and below a block, without which its steps may do harm."""
    above = takewhile(lambda at: blocks[at].is_alert, range(index - 1, -1, -1))
    below = takewhile(lambda at: blocks[at].is_alert, range(index + 1, len(blocks)))
    return [*above, *below]


def placed(extract: PassageExtract, blocks: Sequence[AnswerBlock]) -> PassageExtract:
    """The extract with these blocks, and with a line above steps if some of their section are missing."""
    passage = extract.passage
    whole = read_answer_blocks(passage.markdown)
    return replace(extract, blocks=with_place(blocks, whole, passage.steps[1], passage.locale))


def asked_parts(blocks: Sequence[AnswerBlock], question: QuestionTerms) -> Sequence[AnswerBlock]:
    """The most relevant questions of a list, with their answers; any other text whole.

    Paragraphs that serve as headings divide a text like questions, if the heading of the best part has a term
    of the question. Otherwise they may be steps or variants of one action.
    """
    parts = [part for part in split_parts(blocks) if len(part) > 1 or not part[0].is_heading]
    weights = [question.weight_of(terms_in(part)) for part in parts]
    heaviest = max(weights, default=0)
    best_headings = [
        part[0]
        for part, weight in zip(parts, weights, strict=True)
        if weight == heaviest and part[0].is_heading
    ]
    if not any(block.is_question for block in blocks) and not question.weight_of(terms_in(best_headings)):
        return blocks
    least = MIN_RELATIVE_WEIGHT * heaviest
    answers = [
        block for part, weight in zip(parts, weights, strict=True) if weight >= least for block in part
    ]
    return answers or blocks


def split_parts(blocks: Sequence[AnswerBlock]) -> list[list[AnswerBlock]]:
    """Each question with its answer, or each heading-like paragraph with the blocks below it."""
    parts: list[list[AnswerBlock]] = []
    for block in blocks:
        if not parts or block.is_heading or block.is_question:
            parts.append([])
        parts[-1].append(block)
    return parts


def heading_above(blocks: Sequence[AnswerBlock], index: int) -> set[int]:
    """The index of the block that serves as a block's heading, if there is one."""
    return set([at for at in range(index + 1) if blocks[at].is_heading][-1:])


def block_weight(blocks: Sequence[AnswerBlock], question: QuestionTerms, best_terms: frozenset[str]) -> float:
    """The weight of the question's terms in blocks; those with the best sentence get most."""
    # The header of a table states the topic of its rows.
    terms = terms_in(blocks).union(*(terms_of(block.head) for block in blocks))
    share = len(terms & best_terms) / len(best_terms) if best_terms else 0
    is_act = question.is_how_to and any(block.kind == "code" or are_steps(block) for block in blocks)
    return question.weight_of(terms) + (share + ACT_SHARE * is_act) * question.total_weight


def shorten_block(
    block: AnswerBlock, question: QuestionTerms, best_terms: frozenset[str], max_words: int
) -> AnswerBlock:
    """Lists have a limit of their own, because steps belong together; code stays whole."""
    max_size = limits.MAX_ANSWER_LIST_WORDS if block.kind == "list" else max_words
    if block.kind == "code" or size_of(block) <= max_size:
        return block

    if are_steps(block):
        return first_steps(block, size_of, max_size)

    def weight(part: Sequence[AnswerUnit]) -> float:
        terms = frozenset[str]().union(*(terms_of(unit.plain) for unit in part))
        return question.weight_of(terms) + len(terms & best_terms) / (len(best_terms) or 1)

    def fits(units: Sequence[AnswerUnit]) -> bool:
        return size_of(replace(block, units=tuple(units))) <= max_size

    return replace(block, units=tuple(best_parts(block.units, weight, fits)))


def best_parts(
    units: Sequence[AnswerUnit],
    weight: Callable[[Sequence[AnswerUnit]], float],
    fits: Callable[[Sequence[AnswerUnit]], bool],
) -> list[AnswerUnit]:
    """The best sentences, rows or items that fit, in their order; an item keeps its nested blocks.

    If a single item is too long, its text stays with the best of its nested blocks.
    """
    parts = nested_parts(units)
    best = sorted(range(len(parts)), key=lambda index: -weight(parts[index]))[:MAX_UNITS]
    while len(best) > 1 and not fits([unit for index in best for unit in parts[index]]):
        best.pop()
    chosen = [unit for index in sorted(best) for unit in parts[index]]
    if len(best) > 1 or len(chosen) == 1 or fits(chosen):
        return chosen
    first, *nested = chosen
    return [first, *best_parts(nested, weight, lambda units: fits([first, *units]))]


def nested_parts(units: Sequence[AnswerUnit]) -> list[list[AnswerUnit]]:
    """The units of the outermost level, each with those that are indented below it."""
    indents = [len(unit.prefix) - len(unit.prefix.lstrip()) for unit in units]
    outermost = min(indents)
    parts: list[list[AnswerUnit]] = []
    for unit, indent in zip(units, indents, strict=True):
        if not parts or indent == outermost:
            parts.append([])
        parts[-1].append(unit)
    return parts
