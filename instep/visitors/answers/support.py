"""Whether a passage supports a sentence: the measure by which sentences of a model are kept or left out.

The passage must have every number, name and content word of a sentence, and two neighboring sentences of it
nearly all of them with the same polarity. So a changed noun never passes; a paraphrase in words of its own
may not either: what the model quotes of the passage is shown in its place. A translation shares no words with
its source: its numbers and names are checked.
"""

import re
from collections.abc import Sequence
from functools import cache

from instep.platform.core.name_matching import mention
from instep.platform.core.polarity import CONTRACTED_NOT, POLARITY_WORDS, is_negated
from instep.platform.llm.facts import CODE, stated_facts
from instep.platform.text.sentences import split_sentences
from instep.platform.text.terms import ordered_terms, stem, stop_words, terms_of
from instep.platform.text.tokens import UNSEGMENTED_CHARACTER, words_in
from instep.search.query.frequencies import LANGUAGES, frequencies

# A negation in one clause says nothing about the others.
CLAUSE_END = re.compile(
    r"[,;:\u2013\u2014](?=\s)|\s(?=(?:and|but|or|und|oder|aber|et|ou|mais|y|o|pero|e|ma)\s)", re.IGNORECASE
)
# The share (0..1) of a sentence's terms that two neighboring sentences must have.
MIN_SUPPORTED_SHARE = 0.7
WINDOW_SENTENCES = 2
PROPER_NAME = re.compile(r"(?<=[^\s.!?:\"'\u201c\u2018(*_`-] )[^\W\d_a-z][\w-]*")
POLARITY_TERMS = frozenset(term for word in POLARITY_WORDS for term in ordered_terms(word))
# Groups: a number, the letters of its unit if no space is between them.
NUMBER = re.compile(r"(?<![\w.,#-])(\d+(?:[.,]\d+)*)([A-Za-z%]*)")
YES_OR_NO = re.compile(r"\A(?:yes|no|ja|nein|oui|non|sí|sim|não|sì|nee)[,;:.] +(?=\S)", re.IGNORECASE)
# A word so frequent in its language (a share of all words) names no thing.
FREQUENT = 1e-3
# A sentence with more clauses is compared as one: each is held against all clauses of a passage.
MAX_CLAUSES_COMPARED = 12
# At least this share of the words of a text in a language are among its most frequent ones.
MIN_FREQUENT_SHARE = 0.15


def is_supported(passage: str, sentence: str, locale: str = "en", around: str = "") -> bool:
    """True if `passage` says what `sentence` says; both come without numbers of citations.

    `around` is the part of the passage around what is quoted for the sentence. Yes or no at the beginning is
    the model's judgment: the statement after it is checked.
    """
    sentence = YES_OR_NO.sub("", sentence)
    terms, passage_terms = terms_of(CONTRACTED_NOT.sub("", sentence)), terms_of(passage)
    terms = (terms - free_terms(locale)) or (terms & passage_terms)
    if not terms or not terms <= passage_terms or not has_facts(passage, sentence):
        return False
    sentences = split_sentences(passage, at_line_breaks=True)
    quoted = split_sentences(around, at_line_breaks=True)
    return any(window_supports(window, sentence, terms) for window in [*windows(sentences), quoted] if window)


def is_translation(passage: str, sentence: str, locale: str) -> bool:
    """True if a sentence has the facts of a passage in another language than the passage's, `locale`."""
    return bool(terms_of(sentence)) and not is_written_in(sentence, locale) and has_facts(passage, sentence)


def is_written_in(text: str, locale: str) -> bool:
    """True if frequent words of a language make up enough of a text; unknown languages have none."""
    prose, frequent = CODE.sub(" ", text).casefold(), frequent_words(locale)
    if locale.startswith(("ja", "zh")):
        return UNSEGMENTED_CHARACTER.search(prose) is not None
    words = [word for word in words_in(prose) if word.isalpha()]
    return sum(word in frequent for word in words) >= MIN_FREQUENT_SHARE * max(len(words), 1)


@cache
def free_terms(locale: str) -> frozenset[str]:
    """Terms that a sentence may have without its passage: words of grammar and of any instruction."""
    words = stop_words("grounding", locale.split("-")[0]) or frequent_words(locale)
    return frozenset(map(stem, words)) - POLARITY_TERMS


@cache
def frequent_words(locale: str) -> frozenset[str]:
    language = locale.split("-")[0]
    table = frequencies(language) if language in LANGUAGES else {}
    return frozenset(word for word, share in table.items() if share >= FREQUENT)


def windows(sentences: Sequence[str]) -> list[list[str]]:
    return [list(sentences[start : start + WINDOW_SENTENCES]) for start in range(len(sentences))]


def window_supports(window: Sequence[str], sentence: str, terms: frozenset[str]) -> bool:
    text = "\n".join(window)
    window_terms = terms_of(text)
    if not (terms & POLARITY_TERMS) <= window_terms:
        return False
    if len(terms & window_terms) < MIN_SUPPORTED_SHARE * len(terms):
        return False
    if not all(has_number(text, *number) for number in NUMBER.findall(sentence)):
        return False
    stated, clauses = clauses_of(split_sentences(sentence)), clauses_of(window)
    compared = stated if len(stated) <= MAX_CLAUSES_COMPARED else [sentence]
    return all(has_polarity_of(clause, clauses) for clause in compared)


def clauses_of(sentences: Sequence[str]) -> list[str]:
    return [clause for sentence in sentences for clause in CLAUSE_END.split(sentence) if terms_of(clause)]


def has_polarity_of(clause: str, others: Sequence[str]) -> bool:
    """True if a clause is negated like the one of others that has most of its terms; the same wins a tie.

    If none has half of them, a negated clause needs some negation among the others.
    """
    terms, polarity = terms_of(clause), is_negated(clause)
    nearest = max(others, key=lambda each: (len(terms & terms_of(each)), is_negated(each) == polarity))
    if 2 * len(terms & terms_of(nearest)) < len(terms):
        return not polarity or any(map(is_negated, others))
    return is_negated(nearest) == polarity


def has_facts(passage: str, sentence: str) -> bool:
    """True if the passage has all numbers, names in code and proper names of the sentence."""
    others = CODE.sub(lambda code: " " if is_in((code[2] or code[4]).strip(), passage) else code[0], sentence)
    if not all(has_fact(passage, fact) for fact in stated_facts(others, is_code=False)):
        return False
    passage_terms = terms_of(passage)
    # German begins every noun with a capital, so that a capital makes no name there.
    names = [] if is_written_in(sentence, "de") else PROPER_NAME.findall(sentence)
    return all(terms_of(name) <= passage_terms for name in names)


def is_in(code: str, passage: str) -> bool:
    """True if a passage has a whole piece of code."""
    return re.search(rf"(?<![\w-]){re.escape(code)}(?![\w-])", passage) is not None


def has_fact(passage: str, fact: str) -> bool:
    return has_number(passage, fact) if fact[0].isdigit() else mention(fact).search(passage) is not None


def has_number(passage: str, number: str, unit: str = "") -> bool:
    """True if a passage has a number, also as a part of a range, before a unit if one is given."""
    unit = f"[ \u00a0-]?{re.escape(unit)}(?![^\\W\\d_])" if unit else ""
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?![.,]?\d){unit}", passage) is not None
