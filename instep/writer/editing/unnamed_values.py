"""Values that an article states without the name of their setting, as in "files of up to 10 MB"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from instep.writer.articles.passages import is_in_code
from instep.writer.editing.stated_amounts import (
    CURRENCY_WORDS,
    Amount,
    amount_pattern,
    amounts_of,
    restated,
    unit_of,
)
from instep.writer.editing.value_binding import (
    LIMIT_WORDS,
    StatedValue,
    is_of_section,
    is_on_topic,
    statement_at,
)
from instep.writer.facts.values import Value
from instep.writer.shapes import Article
from instep.writer.words.change_terms import change_terms
from instep.writer.words.identifiers import parts_of
from instep.writer.words.units import MEASURES, UNITS, unit_named, words_and_unit

# What a unit says already.
_SAID_BY_UNIT = LIMIT_WORDS | {
    "cents",
    "delay",
    "duration",
    "expiry",
    "interval",
    "lifetime",
    "per",
    "period",
    "retention",
    "ttl",
}
# What tells nothing of a price but its period.
_BARE_PRICE_WORDS = "amount annual base cost month monthly per price prices pricing year yearly"
_PRICE_TERMS = frozenset(_BARE_PRICE_WORDS.split()) | CURRENCY_WORDS
_PLAIN_TOPIC_WORDS = """
    add admin app base client cmd component components controller controllers core create data delete edit
    domain entity factory get handler handlers helper helpers http impl interface internal job jobs lib list
    logic manager middleware misc model models new page pages plan plans policy provider providers remove
    repository resource resources rules schema schemas set shared show src store update use user users view
    views web worker workers
"""
_PLAIN_TOPICS = frozenset(_PLAIN_TOPIC_WORDS.split())
_MIN_TOPIC_CHARACTERS = 3
# What comes on top of a value is another one: "for another 14 days".
_MORE = re.compile(r"\b(?:another|additional|further|extra)\s\Z", re.IGNORECASE)
_MAX_MORE_CHARACTERS = 14
# How many words of a sentence, beside its amount, have to be those of the change.
_MIN_SHARED_TERMS = 2


@dataclass(frozen=True, slots=True)
class StatedQuantity:
    """A number with its unit in an article (offsets in characters), and the new value of both."""

    start: int
    end: int
    fact: Value
    # Whether what the value is of stands in the sentence, its item or the heading right above it.
    is_near_topic: bool
    # How many words of the change the sentence has.
    shared_terms: int
    # Whether the sentence or the row names the plan or group whose value it is.
    names_section: bool = False
    # Whether the sentence and its heading say all of the value's name, and more of the change.
    is_sure: bool = False


def stated_quantities(fact: Value, article: Article, title: str = "") -> list[StatedQuantity]:
    """Where an article states a value with its unit, among words of its name or of the change's title."""
    terms = _terms_of_change(fact, title)
    places: dict[int, StatedQuantity] = {}
    for amount in amounts_of(fact):
        for place in _places(fact, amount, article, terms):
            places.setdefault(place.start, place)
    most = max((place.shared_terms for place in places.values()), default=0)
    # Where one sentence speaks of the change, others that have a word of it may state another value.
    least = most if most >= _MIN_SHARED_TERMS else 0
    return [place for place in places.values() if place.names_section or place.shared_terms >= least]


def says_unit(fact: Value) -> bool:
    """Whether the code says what a value counts: days, megabytes, money."""
    return unit_of(fact) is not None or fact.is_money


def _places(fact: Value, amount: Amount, article: Article, terms: frozenset[str]) -> Iterator[StatedQuantity]:
    pattern, words = amount_pattern(amount), _topic_of(fact)
    for match in pattern.finditer(article.text):
        place = statement_at(article.text, *match.span())
        is_address = amount.unit == "port"
        if not is_address and (
            is_in_code(article.text, match.start())
            or _MORE.search(article.text, max(0, match.start() - _MAX_MORE_CHARACTERS), match.start())
            or not is_of_section(fact, place)
            or (amount.unit == "currency" and len(pattern.findall(place.text)) > 1)
        ):
            continue
        is_near = is_address or _is_near_topic(fact, amount, place, words, article.title, terms)
        is_said = is_near or _says_topic(fact, amount, place, words, article.title)
        new = restated(match, amount)
        if is_said and new is not None:
            named = replace(fact, old=match[0], new=new, is_beside_name=False)
            section = fact.section is not None and _has_all(parts_of(fact.section.name), place.text)
            is_sure = unit_of(fact) is not None and not is_address and _says_all(words, place, terms)
            yield StatedQuantity(*match.span(), named, is_near, _shared_terms(place, terms), section, is_sure)


def _says_topic(fact: Value, amount: Amount, place: StatedValue, words: Sequence[str], title: str) -> bool:
    """Whether the sentence, what is over it or the title says what the value is of."""
    if amount.unit == "count":
        # A sentence has to say what the cards of `CARDS_PER_LESSON` are for.
        return _has_all(_words_after("per", parts_of(fact.names[0])), place.text)
    if not words:
        return unit_of(fact) is not None and _has_own_topic(fact, f"{place.text} {place.topic} {title}")
    if MEASURES.issuperset(words) and not is_on_topic(fact, place, title):
        return False
    return _has_all(words[-1:], f"{place.text} {place.topic} {title}")


def _says_all(words: Sequence[str], place: StatedValue, terms: frozenset[str]) -> bool:
    """Whether a sentence and its heading have all words of a name, and enough words of the change."""
    nearby = f"{place.before} {place.after} {place.topic}"
    return _has_all(words, nearby) and len(terms & _stems(nearby)) >= _MIN_SHARED_TERMS


def _is_near_topic(
    fact: Value, amount: Amount, place: StatedValue, words: Sequence[str], title: str, terms: frozenset[str]
) -> bool:
    """Whether the sentence or the heading right above it says all of the topic, or enough of the change."""
    nearby = f"{place.text} {place.topic}"
    is_of_name = not words or any(_has_all([word], f"{nearby} {title}") for word in words)
    is_measured = bool(amount.noun) or unit_of(fact) is not None
    if is_measured and is_of_name and _shared_terms(place, terms) >= _MIN_SHARED_TERMS:
        return True
    if not words:
        # A heading may be over sentences about several things.
        return unit_of(fact) is not None and _has_own_topic(fact, f"{place.text} {place.column}")
    is_near = _has_all(words, nearby if place.topic.strip() else f"{nearby} {title}")
    return is_near and _says_topic(fact, amount, place, words, title)


def _words_after(word: str, parts: Sequence[str]) -> Sequence[str]:
    return parts[parts.index(word) + 1 :] if word in parts else ()


def _has_own_topic(fact: Value, text: str) -> bool:
    """Whether a text has a word of the file or the section of a value, but for words of any file."""
    return any(_has_all([topic.removesuffix("s")], text) for topic in fact.topics - _PLAIN_TOPICS)


def _shared_terms(place: StatedValue, terms: frozenset[str]) -> int:
    """How many words of the change a sentence has beside its amount, with the head of its column."""
    return len(terms & _stems(f"{place.before} {place.after} {place.column}"))


def _terms_of_change(fact: Value, title: str) -> frozenset[str]:
    """Words that say what a change is about: of its title, the value's name, its file and its section."""
    return _stems(" ".join([title, *fact.names, *fact.topics, fact.owner])) - _PLAIN_TERMS


def _stems(text: str) -> frozenset[str]:
    """The terms that are words, without the `e` that `pauses` loses with its ending."""
    return frozenset(term.removesuffix("e") for term in change_terms(text) if term.isalpha())


_PLAIN_TERMS = _stems(" ".join([*MEASURES, *UNITS, *LIMIT_WORDS, *_PRICE_TERMS, "default"]))


def _has_all(words: Sequence[str], text: str) -> bool:
    """Whether a text has all of these words, which are some, in any form."""
    lower = text.lower()
    return bool(words) and all(re.search(rf"\b{re.escape(word)}", lower) for word in words)


def _topic_of(fact: Value) -> list[str]:
    """The telling words of a name, the last of which an article must have; a price is that of its section."""
    parts = words_and_unit(fact.names[0])[0]
    is_of_plan = fact.section is not None and unit_of(fact) == "currency"
    plain = _SAID_BY_UNIT | (_PRICE_TERMS if is_of_plan else CURRENCY_WORDS)
    words = [part for part in parts if len(part) >= _MIN_TOPIC_CHARACTERS and part not in plain]
    if unit_of(fact) and (MEASURES.issuperset(words) or (len(words) == 1 and unit_named(words[0]))):
        words = []
    return words or (parts_of(fact.section.name) if is_of_plan and fact.section else [])
