"""Sentences that say whether something is on by default, where the change turns its default around."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from instep.text.file_kinds import LONG_LINE
from instep.writer.articles.passages import is_in_code, sentence_around
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.editing.apply import add_edit
from instep.writer.editing.edits import Edit, EditsByArticle
from instep.writer.editing.value_binding import StatedValue, is_of_section, statement_at
from instep.writer.facts.values import Value
from instep.writer.relevance.selection import DraftCandidate
from instep.writer.words.change_terms import change_terms
from instep.writer.words.identifiers import parts_of

_PAIRS = (
    ("on", "off"),
    ("enabled", "disabled"),
    ("enable", "disable"),
    ("active", "inactive"),
    ("activated", "deactivated"),
    ("activate", "deactivate"),
)
_OPPOSITES: Mapping[str, str] = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
_ON = frozenset(on for on, _ in _PAIRS)
_STATE = r"on|off|enabled|disabled|active|inactive|activated|deactivated"
_STATED = re.compile(
    rf"\b(?:is|are|be|turned|switched)\s+(?:now\s+)?[*_`\"]*(?P<state>{_STATE})[*_`\"]*\s+by\s+default\b"
    rf"|\bby\s+default,?\s[^.,;:\n|]{{0,80}}?\b(?:is|are)\s+(?:turned\s+|switched\s+)?[*_`\"]*(?P<is>{_STATE})\b"
    rf"|(?<![\w,] )(?P<alone>{_STATE})\s+by\s+default\b",
    re.IGNORECASE,
)
# How a reader gets the other state: "turn it on", "to enable it", "switch them off".
_TURNED = re.compile(r"\b(?:turn|switch)\s+(?:it|them|this|that)\s+(on|off)\b", re.IGNORECASE)
_MADE = re.compile(r"\b(enable|disable|activate|deactivate)\s+(?:it|them|this|that)\b", re.IGNORECASE)
_TURN = re.compile(r"\b(?:turn|switch)\s+(on|off)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[;:]\s|,?\s(?:but|while|whereas|although)\s|,\s(?!which|that|who)", re.IGNORECASE)
_BY_DEFAULT = re.compile(r"\bby\s+default,?\s", re.IGNORECASE)
# Two subjects of one verb: "Chat and reminders are".
_SEVERAL = re.compile(
    r"(?:\band|\bor|[,/&])\s+(?:the\s+)?(?:[\w&*_`'-]+\s+){1,3}(?:are|is)\s\Z", re.IGNORECASE
)
_PRONOUN = re.compile(r"\W*(?:(?:it|they|this|these|both)\b\s*)?(?:(?:is|are)\s*)?\Z", re.IGNORECASE)
_SETTING = re.compile(r"(?<![\w-])([A-Za-z_][\w-]{0,60})[\"']?\s{0,3}(?:\?|\{[\w; ]+\})?[:=]")
_SWITCH_WORDS = """
    active allow allowed by default disable disabled enable enabled flag has hide is no not off on setting
    should skip toggle use with without
"""
_PLAIN = frozenset(_SWITCH_WORDS.split())
_NEGATIVE = frozenset(("disable", "disabled", "hide", "no", "not", "off", "skip", "without"))


@dataclass(frozen=True, slots=True)
class _Switch:
    """A default that the change turns around; `terms` say what of, and `rival_terms` what others are of."""

    fact: Value
    is_on: bool
    terms: frozenset[str]
    rival_terms: frozenset[str]


def add_switches(
    edits: EditsByArticle, values: Sequence[Value], candidates: Sequence[DraftCandidate], code: ChangeSet
) -> None:
    """Edits what sure candidates say of a default that is on or off, and how to turn it around."""
    switches = list(_switches(values, code))
    for candidate in candidates:
        if not candidate.is_concerned:
            continue
        article_edits = edits.get(candidate.article.id, [])
        for switch in switches:
            for edit in _edits(switch, candidate.article.text):
                add_edit(article_edits, edit)
        if article_edits:
            edits[candidate.article.id] = article_edits


def _switches(values: Sequence[Value], code: ChangeSet) -> Iterator[_Switch]:
    for fact in values:
        words = parts_of(fact.names[0])
        old = fact.old.lower()
        if old not in {"true", "false", "on", "off", "yes", "no"} or fact.is_elsewhere_too:
            continue
        terms = _terms(fact.names[0]) or _terms(fact.owner)
        rivals = (_terms(name) - terms for name in _names_beside(fact, code))
        is_on = (old in {"true", "on", "yes"}) != bool(_NEGATIVE.intersection(words))
        if terms:
            yield _Switch(fact, is_on, terms, frozenset().union(*rivals))


def _terms(name: str) -> frozenset[str]:
    return frozenset(change_terms(" ".join(part for part in parts_of(name) if part not in _PLAIN)))


def _names_beside(fact: Value, code: ChangeSet) -> Iterator[str]:
    """The names of the other settings in the files that the value is in."""
    paths = {source.file for source in fact.sources}
    for file in code.files:
        if file.patch.path in paths:
            for line in file.patch.lines():
                if line.mark != "-" and len(line.text) <= LONG_LINE:
                    yield from (name for name in _SETTING.findall(line.text) if name not in fact.names)


def _edits(switch: _Switch, text: str) -> Iterator[Edit]:
    """The edits of the sentences whose subject has the fewest other words than what is turned around."""
    places = [place for match in _STATED.finditer(text) if (place := _place(switch, match, text))]
    fewest = min((other_words for other_words, _, _ in places), default=0)
    for other_words, start, end in places:
        if other_words == fewest:
            old = text[start:end]
            fact = replace(switch.fact, old=old, new=_opposite(old), is_beside_name=False)
            yield Edit(start, end, fact.new, fact)
            for first, last in _instructions(not switch.is_on, end, text):
                yield Edit(first, last, _opposite(text[first:last]), fact)


def _place(switch: _Switch, match: re.Match[str], text: str) -> tuple[int, int, int] | None:
    """How many other words the subject has, and the span of the state, where it is that of the switch."""
    group = next(name for name in ("state", "is", "alone") if match[name])
    start, end = match.span(group)
    if (match[group].lower() in _ON) != switch.is_on or is_in_code(text, start):
        return None
    sentence = statement_at(text, start, end)
    subject = _subject(sentence)
    subject_terms = frozenset(change_terms(subject))
    is_one_of_several = len(_BY_DEFAULT.findall(f"{sentence.text} ")) > 1 or bool(_SEVERAL.search(subject))
    is_of_other = is_one_of_several or bool(switch.rival_terms & subject_terms)
    if is_of_other or not switch.terms <= subject_terms or not is_of_section(switch.fact, sentence):
        return None
    return len(subject_terms - switch.terms), start, end


def _subject(sentence: StatedValue) -> str:
    """What a state is said of: its clause, or what stands before or over a sentence without a subject."""
    clause = _CLAUSE_END.split(_BY_DEFAULT.sub("", sentence.before))[-1]
    if _PRONOUN.fullmatch(clause):
        return f"{sentence.topic} {sentence.preceding} {sentence.before}"
    return clause


def _instructions(turns_on: bool, start: int, text: str) -> Iterator[tuple[int, int]]:
    """The words in the rest of the sentence, and in the next one, that say how to get the other state."""
    first, last = start, sentence_around(text, start, start)[1]
    for bounds in ((first, last), _next_sentence(text, last)):
        spans = [match.span(1) for pattern in (_TURNED, _MADE) for match in pattern.finditer(text, *bounds)]
        spans += [match.span(1) for match in _TURN.finditer(text, *bounds)] if spans else []
        yield from (span for span in spans if (text[slice(*span)].lower() in _ON) == turns_on)


def _next_sentence(text: str, end: int) -> tuple[int, int]:
    """The sentence after one in the same paragraph; nothing at the end of a paragraph."""
    rest = text[end : end + 2]
    if not rest.startswith((" ", "\n")) or rest == "\n\n":
        return end, end
    return end, sentence_around(text, end + 1, min(end + 2, len(text)))[1]


def _opposite(word: str) -> str:
    opposite = _OPPOSITES[word.lower()]
    return opposite.capitalize() if word[:1].isupper() else opposite
