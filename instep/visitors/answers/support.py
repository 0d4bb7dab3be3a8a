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

# The share (0..1) of a sentence's terms that two neighboring sentences must have.
MIN_SUPPORTED_SHARE = 0.75
WINDOW_SENTENCES = 2
PROPER_NAME = re.compile(r"(?<=[^\s.!?:\"'\u201c\u2018(*_`-] )[^\W\d_a-z][\w-]*")
POLARITY_TERMS = frozenset(term for word in POLARITY_WORDS for term in ordered_terms(word))
YES_OR_NO = re.compile(r"\A(?:yes|no|ja|nein|oui|non|sí|sim|não|sì|nee)[,;:.] +(?=\S)", re.IGNORECASE)
# A word so frequent in its language (a share of all words) names no thing.
FREQUENT = 1e-3
# At least this share of the words of a text in a language are among its most frequent ones.
MIN_FREQUENT_SHARE = 0.15


def is_supported(passage: str, sentence: str, locale: str = "en", around: str = "") -> bool:
    """Whether `passage` says what `sentence` says; both come without numbers of citations.

    `around` is the part of the passage around what is quoted for the sentence. Yes or no at the beginning is
    the model's judgment: the statement after it is checked.
    """
    sentence = YES_OR_NO.sub("", sentence)
    terms, passage_terms = terms_of(CONTRACTED_NOT.sub("", sentence)), terms_of(passage)
    terms -= free_terms(locale) - passage_terms
    if not terms or not terms <= passage_terms or not has_facts(passage, sentence):
        return False
    sentences = split_sentences(passage, at_line_breaks=True)
    return any(window_supports(window, sentence, terms) for window in [*windows(sentences), around] if window)


def is_translation(passage: str, sentence: str, locale: str) -> bool:
    """Whether a sentence has the facts of a passage in another language than the passage's, `locale`."""
    return bool(terms_of(sentence)) and not is_written_in(sentence, locale) and has_facts(passage, sentence)


def is_written_in(text: str, locale: str) -> bool:
    """Whether frequent words of a language make up enough of a text; unknown languages have none."""
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


def windows(sentences: Sequence[str]) -> list[str]:
    return [" ".join(sentences[start : start + WINDOW_SENTENCES]) for start in range(len(sentences))]


def window_supports(window: str, sentence: str, terms: frozenset[str]) -> bool:
    window_terms = terms_of(window)
    if not (terms & POLARITY_TERMS) <= window_terms:
        return False
    if len(terms & window_terms) < MIN_SUPPORTED_SHARE * len(terms):
        return False
    return is_negated(sentence) == is_negated(closest_text(window, terms))


def closest_text(window: str, terms: frozenset[str]) -> str:
    """The text whose polarity counts: the one sentence that has enough of the terms, or the whole window."""
    sentences = split_sentences(window, at_line_breaks=True)
    best = max(sentences, key=lambda sentence: len(terms_of(sentence) & terms))
    return best if len(terms_of(best) & terms) >= MIN_SUPPORTED_SHARE * len(terms) else window


def has_facts(passage: str, sentence: str) -> bool:
    """Whether the passage has all numbers, names in code and proper names of the sentence."""
    if not all(mention(fact).search(passage) for fact in stated_facts(sentence, is_code=False)):
        return False
    passage_terms = terms_of(passage)
    # German begins every noun with a capital, so that a capital makes no name there.
    names = [] if is_written_in(sentence, "de") else PROPER_NAME.findall(sentence)
    return all(terms_of(name) <= passage_terms for name in names)
