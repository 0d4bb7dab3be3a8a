"""Tests whether a passage supports a sentence, which decides if a model's sentence is kept.

The passage must have every number, name and content word of the sentence. Two neighboring sentences, with the
heading above, must have nearly all of them with the same polarity, or three sentences must have all. So a
changed noun never passes. A free paraphrase may fail too: the model is then asked again, with the reason. A
translation shares no words with its source, so only its numbers and names are checked.
"""

import re
from collections.abc import Sequence
from functools import cache

from instep.platform.core.name_matching import mention
from instep.platform.core.polarity import CONTRACTED_NOT, NEGATION_WORDS, POLARITY_WORDS, is_negated
from instep.platform.llm.facts import CODE, stated_facts
from instep.platform.text.sentences import split_sentences
from instep.platform.text.terms import (
    UNSEGMENTED_CHARACTER,
    ordered_terms,
    stem,
    stop_words,
    terms_of,
    words_in,
)
from instep.search.query.frequencies import LANGUAGES, frequencies

# A negation in one clause says nothing about the others.
CLAUSE_END = re.compile(
    r"[,;:\u2013\u2014](?=\s)|\s(?=(?:and|but|or|und|oder|aber|et|ou|mais|y|o|pero|e|ma)\s)", re.IGNORECASE
)
# A clause within another one, in the languages of the site.
SUBORDINATE = re.compile(
    r"\s(?=\(|(?:if|when|where|because|since|although|while|which|who|that|so|unless|until|before|after"
    r"|wenn|weil|dass|si|quand|que|cuando|porque|se|quando)\s)",
    re.IGNORECASE,
)
# The share (0..1) of a sentence's terms that this many neighboring sentences must have.
MIN_SUPPORTED_SHARES = {2: 0.7, 3: 1.0}
PROPER_NAME = re.compile(r"(?<=[^\s.!?:\"'\u201c\u2018(*_`-] )[^\W\d_a-z][\w-]*")
# Negations are compared clause by clause, whatever their words.
NEGATION_TERMS = frozenset(map(stem, NEGATION_WORDS))
POLARITY_TERMS = frozenset(term for word in POLARITY_WORDS for term in ordered_terms(word)) - NEGATION_TERMS
# Groups: a number, the letters of its unit if no space is between them.
NUMBER = re.compile(r"(?<![\w.,#-])(\d+(?:[.,]\d+)*)([A-Za-z%]*)")
YES_OR_NO = re.compile(r"\A(?:yes|no|ja|nein|oui|non|sí|sim|não|sì|nee)[,;:.] +(?=\S)", re.IGNORECASE)
# The rest of a contracted word: "you're".
CONTRACTION = re.compile(r"(?<=[a-z])['\u2019](?:re|ve|ll|d|m|s)\b")
# A word so frequent in its language (a share of all words) names no thing.
FREQUENT = 1e-3
# A sentence with more clauses is compared as one: each is held against all clauses of a passage.
MAX_CLAUSES_COMPARED = 12
# An item of so few words, without a number or an end, says nothing without what is above it.
MAX_ITEM_WORDS = 4
# Reasons for refusals; the reason for the nearest window is the shortest.
NO_WINDOW = "no two neighboring sentences of its section say it: say it as they do, or in two sentences"
OTHER_POLARITY = "its section says it with another yes or no"
# At least this share of the words of a text in a language are among its most frequent ones.
MIN_FREQUENT_SHARE = 0.15


def refusal_of(heading: str, passage: str, sentence: str, locale: str = "en", quoted: str = "") -> str:
    """The reason that `passage` does not say what `sentence` says, for the model; "" if it does.

    `heading` is the heading above the passage, and `quoted` the part around the quote for the sentence. Yes
    or no at the beginning is the model's judgment: only the statement after it is checked.
    """
    sentence = CONTRACTION.sub("", YES_OR_NO.sub("", sentence))
    terms = terms_of(CONTRACTED_NOT.sub("", sentence)) - NEGATION_TERMS
    passage_terms = terms_of(f"{heading}\n{passage}")
    terms = (terms - free_terms(locale)) or (terms & passage_terms)
    if not terms:
        return "it says nothing of its section"
    if other_words := [word for word in words_in(sentence) if terms_of(word) & (terms - passage_terms)]:
        return f"its section has no {', '.join(dict.fromkeys(other_words))}"
    if refusal := refusal_of_facts(f"{heading}\n{passage}", sentence):
        return refusal
    sentences = with_short_items(split_sentences(passage, at_line_breaks=True))
    quote = split_sentences(quoted, at_line_breaks=True)
    refusals = [
        refusal_of_window(heading, window, sentence, terms, share)
        for size, share in MIN_SUPPORTED_SHARES.items()
        for window in filter(None, [*windows(sentences, size), quote])
    ]
    return min(refusals, key=len, default=NO_WINDOW)


def refusal_of_translation(heading: str, passage: str, sentence: str, locale: str) -> str:
    """The reason that a sentence is no translation with the facts of a passage in `locale`; "" if it is."""
    if not terms_of(sentence) or is_written_in(sentence, locale):
        return "it is not in the language of the question"
    return refusal_of_facts(f"{heading}\n{passage}", sentence)


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


def with_short_items(sentences: Sequence[str]) -> list[str]:
    """Sentences with the short items below them, of which a sentence may name several."""
    joined: list[str] = []
    for sentence in sentences:
        is_short = len(sentence.split()) <= MAX_ITEM_WORDS and sentence[-1:].isalpha()
        is_item = is_short and not any(map(str.isdigit, sentence))
        if joined and is_item:
            joined[-1] += f"\n{sentence}"
        else:
            joined.append(sentence)
    return joined


def windows(sentences: Sequence[str], size: int) -> list[list[str]]:
    return [list(sentences[start : start + size]) for start in range(len(sentences))]


def refusal_of_window(
    heading: str, window: Sequence[str], sentence: str, terms: frozenset[str], min_share: float
) -> str:
    text = "\n".join([heading, *window])
    window_terms = terms_of(text)
    is_complete = len(terms & window_terms) >= min_share * len(terms)
    if not is_complete or not all(has_number(text, *number) for number in NUMBER.findall(sentence)):
        return NO_WINDOW
    clauses = [*clauses_of(window), *subordinate_parts(window)]
    # A clause of one term, such as "In the job", is neither affirmed nor denied.
    stated = [clause for clause in subordinate_parts([sentence]) if len(terms_of(clause)) > 1]
    compared = stated if 0 < len(stated) <= MAX_CLAUSES_COMPARED else [sentence]
    if is_negated(heading) and not terms <= terms_of("\n".join(window)):
        # Text below "Not compatible with" is true only together with that heading.
        is_alike = is_negated(sentence)
    else:
        is_alike = bool(clauses) and all(has_polarity_of(clause, clauses) for clause in compared)
    return "" if is_alike and (terms & POLARITY_TERMS) <= window_terms else OTHER_POLARITY


def clauses_of(sentences: Sequence[str]) -> list[str]:
    return [clause for sentence in sentences for clause in CLAUSE_END.split(sentence) if terms_of(clause)]


def subordinate_parts(sentences: Sequence[str]) -> list[str]:
    """The clauses and those within them; "it fails when offline" stays whole, as each has a single term."""
    divided = map(SUBORDINATE.split, clauses_of(sentences))
    return [
        part
        for parts in divided
        for part in (
            parts if all(len(terms_of(each) - NEGATION_TERMS) > 1 for each in parts) else [" ".join(parts)]
        )
    ]


def has_polarity_of(clause: str, others: Sequence[str]) -> bool:
    """True if a clause is negated like the one of others that has most of its terms; the same wins a tie.

    If none has half of them, a negated clause needs some negation among the others.
    """
    terms, polarity = terms_of(clause), is_negated(clause)
    nearest = max(others, key=lambda each: (len(terms & terms_of(each)), is_negated(each) == polarity))
    if 2 * len(terms & terms_of(nearest)) < len(terms):
        return not polarity or any(map(is_negated, others))
    return is_negated(nearest) == polarity


def refusal_of_facts(passage: str, sentence: str) -> str:
    """Names the numbers, names in code and proper names of the sentence that the passage does not have."""
    others = CODE.sub(lambda code: " " if is_in((code[2] or code[4]).strip(), passage) else code[0], sentence)
    facts = [fact for fact in stated_facts(others, is_code=False) if not has_fact(passage, fact)]
    passage_terms = terms_of(passage)
    # German begins every noun with a capital, so that a capital makes no name there.
    names = [] if is_written_in(sentence, "de") else PROPER_NAME.findall(sentence)
    missing = [*facts, *(name for name in names if not terms_of(name) <= passage_terms)]
    return f"its section has no {', '.join(dict.fromkeys(missing))}" if missing else ""


def is_in(code: str, passage: str) -> bool:
    """True if a passage has a whole piece of code."""
    return re.search(rf"(?<![\w-]){re.escape(code)}(?![\w-])", passage) is not None


def has_fact(passage: str, fact: str) -> bool:
    return has_number(passage, fact) if fact[0].isdigit() else mention(fact).search(passage) is not None


def has_number(passage: str, number: str, unit: str = "") -> bool:
    """True if a passage has a number, also as a part of a range, before a unit if one is given."""
    unit = f"[ \u00a0-]?{re.escape(unit)}(?![^\\W\\d_])" if unit else ""
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?![.,]?\d){unit}", passage) is not None
