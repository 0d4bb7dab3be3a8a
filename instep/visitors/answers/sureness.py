"""Tests whether a quotation answers the question, because matching words alone look too confident.

A name in the question has no other words, a number answers a question for one, and a statement answers one
for yes, a reason or a consequence: a statement of need, if that is asked. One step of several answers only
what its heading says. Without these the same sections are named as what may help.
"""

import re
from collections.abc import Iterator

from instep.platform.core.polarity import CONTRACTED_NOT
from instep.platform.text.terms import is_content_word, stem, stop_words, terms_of, words_in
from instep.search.query.frequencies import LANGUAGES, frequencies
from instep.search.question_kinds import kind_of_question
from instep.visitors.answers.answer_blocks import cells_of
from instep.visitors.answers.extractive import PassageExtract, QuestionTerms

# The share (0..1) of the weight of a question that a statement or its heading must have.
MIN_STATED_SHARE = 0.5
# In the languages of the site, each with its "what happens if".
QUANTITY = re.compile(
    r"^(?:how (?:many|much|long|big|large|often|far)|wie ?(?:viele?|lange?|groß|oft)|combien|[cq]u[aá]nt\w*)"
    r"|^\W*\w*(?:いくつ|何[個回件人日分秒])|^كم\b"
    r"|\b(?:max|maximum|maximal|limits?|largest|biggest|höchst\w*|máxim\w+)\b",
    re.IGNORECASE,
)
CONSEQUENCE = re.compile(
    r"^(?:and )?what(?:[\u2019']s| is| are)? (?:happens?|the difference|now)\b|\bwhat now\b|^was passiert\b"
    r"|^que se passe|^¿?qué (?:pasa|ocurre)|^o que acontece|どうなりますか|^ماذا يحدث",
    re.IGNORECASE,
)
ASKS_NEED = re.compile(
    r"^(?:do|does|must|should) .{1,60}\b(?:need|require|have to)\b|^must (?:i|we)\b"
    r"|^(?:is|are) .{1,60}\b(?:needed|required|necessary|mandatory|optional)\b"
    r"|^(?:brauch\w+|benötig\w+|muss|müssen)\b|^ist .{1,60}\b(?:nötig|notwendig|erforderlich|pflicht)\b"
    r"|^(?:ai-je besoin|faut-il|dois-je)\b|^est-il (?:nécessaire|obligatoire)"
    r"|^¿?(?:necesit\w+|hace falta|tengo que|es (?:necesario|obligatorio))\b"
    r"|^(?:precis\w+|tenho (?:que|de)|é (?:necessário|obrigatório))\b"
    r"|必要(?:です|があり)|必須です|^هل (?:أحتاج|يجب|من الضروري)",
    re.IGNORECASE,
)
STATES_NEED = re.compile(
    r"\b(?:need\w*|requir\w+|must|ha(?:ve|s) to|necessary|mandatory|optional|prerequisite|unless|without)\b"
    r"|\b(?:brauch\w+|benötig\w+|muss|müssen|nötig|notwendig|erforderlich|pflicht|ohne|optional)\b"
    r"|\b(?:besoin|faut|doit|devez|nécessaires?|obligatoires?|facultati\w+|sans)\b"
    r"|\b(?:necesit\w+|falta|debe\w*|necesari\w+|obligatori\w+|opcional\w*|sin)\b"
    r"|\b(?:precis\w+|deve\w*|necessári\w+|obrigatóri\w+|sem)\b"
    r"|必要|必須|不要|任意|なし|(?:يحتاج|تحتاج|يجب|ضروري|مطلوب|اختياري|بدون)",
    re.IGNORECASE,
)
STEP_HEADING = re.compile(r"(?:step|schritt|étape|paso|passo|ステップ|手順|الخطوة) *\d", re.IGNORECASE)
# A number with a point is usually a version.
NUMBER = re.compile(
    r"(?<![\d.])\d+(?![\d.]*\d)|\b(?:one|two|three|unlimited|no limit|indefinitely|any number)\b",
    re.IGNORECASE,
)
STATED_KINDS = ("may_i", "why", "error")
# Words that frame a question, and that its answer needs not.
FRAMING_WORDS = ("another", "mean", "happens", "not", "needed", "required", "necessary", "mandatory")
FRAMING_TERMS = frozenset(map(stem, (*stop_words("search_query"), *FRAMING_WORDS)))
CAPITALIZED = re.compile(r"(?<=[^\s.!?:] )[^\W\d_a-z]\w*")


def says_what_is_asked(extract: PassageExtract, question: str, terms: QuestionTerms) -> bool:
    """True if the first extract of an answer has the names, the number or the statement asked for."""
    kind = kind_of_question(question)
    words = ShownWords(extract, terms, has_codes=kind in ("why", "error"))
    if not all(words.has(name) for name in names_in(question, with_capitals=kind != "how_to")):
        return False
    if any(map(STEP_HEADING.match, extract.passage.headings)) and not words.is_titled:
        return False
    if ASKS_NEED.search(question):
        return any(STATES_NEED.search(text) and words.is_stated_in(text) for text in words.statements)
    if QUANTITY.search(question):
        return any(NUMBER.search(text) and words.is_stated_in(text) for text in words.rows)
    if kind in STATED_KINDS or CONSEQUENCE.search(question):
        return words.is_titled or any(map(words.is_stated_in, words.statements))
    return True


def names_in(question: str, *, with_capitals: bool) -> Iterator[str]:
    """The words that are probably names: rare in every language, or with a capital letter inside."""
    plain = CONTRACTED_NOT.sub(" ", question)
    if with_capitals:
        yield from CAPITALIZED.findall(plain)
    for word in words_in(plain):
        lower = word.casefold()
        is_usual = any(lower in frequencies(language) for language in LANGUAGES)
        if lower.isascii() and is_content_word(lower) and not is_usual and stem(lower) not in FRAMING_TERMS:
            yield word


class ShownWords:
    """The visible text of an extract; its words also count as those that they match."""

    def __init__(self, extract: PassageExtract, terms: QuestionTerms, *, has_codes: bool) -> None:
        passage = extract.passage
        self.weights = {term: terms.weights[term] for term in terms.terms - FRAMING_TERMS} or terms.weights
        self.matches = passage.matches
        self.heading = passage.heading or passage.title
        units = [(block, unit) for block in extract.blocks for unit in block.units]
        prose = [unit.plain for block, unit in units if block.kind in ("prose", "list") and not unit.is_code]
        table = [(block, unit) for block, unit in units if block.kind == "table"]
        self.rows = [*prose, *(f"{block.head} {unit.plain}" for block, unit in table)]
        codes = (unit for _, unit in table if has_codes and self.meant(cells_of(unit.text)[0]))
        self.statements = [*prose, *(unit.plain for unit in codes)]
        everything = " ".join(unit.plain for _, unit in units)
        self.stems = self.meant(f"{passage.title} {' '.join(passage.headings)} {everything}", is_all=True)

    @property
    def is_titled(self) -> bool:
        """True if the heading has most of the question."""
        return self.is_stated_in("")

    def is_stated_in(self, text: str) -> bool:
        """True if a text below its heading has most of the question."""
        return self.share(text) >= MIN_STATED_SHARE

    def has(self, word: str) -> bool:
        return terms_of(word) <= self.stems

    def share(self, text: str) -> float:
        """The share of the question's weight that a text below its heading has."""
        terms = self.meant(f"{self.heading} {text}")
        return sum(self.weights[term] for term in terms) / sum(self.weights.values())

    def meant(self, text: str, *, is_all: bool = False) -> frozenset[str]:
        """The terms of the question that a text has, in its own words or others; `is_all`: all its terms."""
        others = (word for token in words_in(text.casefold()) for word, _ in self.matches.get(token, ()))
        terms = terms_of(text) | {stem(word) for word in others}
        return terms if is_all else terms & self.weights.keys()
