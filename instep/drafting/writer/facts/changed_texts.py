"""The parts of a changed line that an article may repeat: a name, a label, a literal, the whole line."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from instep.drafting.writer.facts.line_alignment import LinePair
from instep.drafting.writer.facts.token_replacements import TokenReplacement
from instep.drafting.writer.words.identifiers import (
    Token,
    are_alike,
    is_caption,
    is_hyphenated,
    is_label,
    wider,
)
from instep.platform.core.name_matching import is_distinct, mention
from instep.platform.text.file_kinds import WEIGHTS
from instep.platform.text.patch import FilePatch

_QUOTED = re.compile(r"""(["'`])((?:\\.|(?!\1)[^\\])*)\1|>([^<>{}=]+)</""")
_CALLED = re.compile(r"([A-Za-z]\w+)\.([a-zA-Z]\w{3,})\(\Z")
_ITSELF = frozenset(("self", "this", "cls", "super", "that"))
_MAX_CALL_CHARACTERS = 100
# If a repository moves, all URLs below its own move.
_REPOSITORY = re.compile(
    r"\b(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)/[\w-]{1,60}/\w[\w.-]{0,90}(?<!\.git)(?<![.-])"
)
# A repository in a build file, by owner and name: `github: "acme/app"`, `uses: acme/app@v1`.
_NAMED_REPOSITORY = re.compile(
    r"\b(?:github|uses)[\"']?\s*(?:=>|[:=])\s*[\"']?([\w-]{1,60}/\w[\w.-]{0,90})(?=[\"'@\s,]|\Z)"
)
_MAX_ADDRESS_CHARACTERS = 200
_TEXT_LINE = re.compile(r"^[\s*#/]*([A-Z][^<>{}=;|]*?)[\s*/]*$")
# Unquoted text in a catalog or template: `page.title = Page Size`, `title: Page Size`.
_UNQUOTED_TEXT = re.compile(r"^\s*[\w.-]+\s*[:=]\s*([A-Z][^\s\"'`<>{}=;|()]* [^\"'`<>{}=;|()]*?)\s*$")
_LABEL_KEY = re.compile(
    r"""\b(?:label|caption|placeholder|tooltip|tabTitle|menuTitle|buttonText)["']?\s*(?:=>|[:=])\s*[{(]?\s*["'`]"""
    r"""|\b(?:Text|\w*Button|Label|NavigationLink|Toggle|Tab|MenuItem|navigationTitle)\(\s*(?:\w+\s*[:=]\s*)?["']"""
)
# A line of a catalog, in JSON, YAML or properties: `"members.add": "Add member",`.
_ENTRY = re.compile(r"""\s*["']?(?P<key>[\w.-]+)["']?\s*(?:=>|[:=])\s*["'`]?[A-Z][^"'`{}]*["'`]?,?""")
_VERSION = re.compile(r"\d")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of code that is evidence for a fact; `weight` says how much its file concerns users."""

    file: str
    line: int
    text: str
    weight: float

    @property
    def location(self) -> str:
        return f"{self.file}, line {self.line}"


class ChangedText(NamedTuple):
    """A text of a line, and the one that replaces it."""

    kind: Literal["name", "label", "text"]
    old: str
    new: str


def changed_texts(replacement: TokenReplacement) -> Iterator[ChangedText]:
    """The texts around a replaced token that an article could repeat verbatim, shortest first."""
    name = _same_kind(_REPOSITORY, replacement) or _named_repository(replacement) or _name(replacement)
    if name:
        yield ChangedText("name", *name)
    method = _method(replacement)
    if method:
        yield ChangedText("name", *method)
    before, after = replacement.pair.old.text, replacement.pair.new.text
    is_of_interface = replacement.weight >= WEIGHTS["interface"]
    is_shown = is_of_interface or _names_label(after) or _is_entry_of(before, after)
    for old, new in _literals(replacement):
        yield ChangedText(_kind(old, new, is_shown=is_shown), old, new)


def _is_entry_of(old_line: str, new_line: str) -> bool:
    """True if both lines set the same key of a catalog: `"members.add": "Add member"`."""
    before, after = _ENTRY.fullmatch(old_line), _ENTRY.fullmatch(new_line)
    return before is not None and after is not None and before["key"] == after["key"]


def _names_label(line: str) -> bool:
    """True if a line of code sets the text of a label or similar: `label: 'Favorites'`."""
    return bool(_LABEL_KEY.search(line))


def _kind(old: str, new: str, *, is_shown: bool) -> Literal["name", "label", "text"]:
    if (is_label(old) and is_label(new)) or (is_shown and is_caption(old) and is_caption(new)):
        return "label"
    return "name" if is_hyphenated(old) and is_hyphenated(new) else "text"


def _name(replacement: TokenReplacement) -> tuple[str, str] | None:
    old, new = replacement.pair.old.text, replacement.pair.new.text
    old_span, new_span = replacement.old_span, replacement.new_span
    for (start, end), (new_start, new_end) in zip(wider(old, *old_span), wider(new, *new_span), strict=True):
        before, after = old[start:end], new[new_start:new_end]
        if is_distinct(before):
            if "://" in before:
                before, after = _cut_url(before, after, old_span[0] - start, old_span[1] - start)
            return (before, after) if before != after and are_alike(before, after) else None
    return None


def _same_kind(kind: re.Pattern[str], replacement: TokenReplacement) -> tuple[str, str] | None:
    """The addresses of one kind that both lines have at the differing span."""
    old = _match_at(kind, replacement.pair.old.text, *replacement.old_span)
    new = _match_at(kind, replacement.pair.new.text, *replacement.new_span)
    return (old, new) if old and new and old != new else None


def _named_repository(replacement: TokenReplacement) -> tuple[str, str] | None:
    """The addresses on GitHub of the repositories that both lines name."""
    old, new = (_NAMED_REPOSITORY.search(line.text) for line in (replacement.pair.old, replacement.pair.new))
    if not old or not new or old[1] == new[1] or not old.start(1) <= replacement.old_start < old.end(1):
        return None
    return f"github.com/{old[1]}", f"github.com/{new[1]}"


def _match_at(kind: re.Pattern[str], line: str, start: int, end: int) -> str | None:
    matches = kind.finditer(line, max(0, start - _MAX_ADDRESS_CHARACTERS), end + _MAX_ADDRESS_CHARACTERS)
    return next((match[0] for match in matches if match.start() <= start and end <= match.end()), None)


def _method(replacement: TokenReplacement) -> tuple[str, str] | None:
    """A renamed method whose name is an ordinary word, with its object: `app.start(`."""
    old = _call_at(replacement.pair.old.text, *replacement.old_span)
    new = _call_at(replacement.pair.new.text, *replacement.new_span)
    if not old or not new or old[1] != new[1] or old[1] in _ITSELF or is_distinct(old[2]):
        return None
    is_whole_name = old.span(2) == replacement.old_span and new.span(2) == replacement.new_span
    return (f"{old[1]}.{old[2]}", f"{new[1]}.{new[2]}") if is_whole_name else None


def _call_at(line: str, start: int, end: int) -> re.Match[str] | None:
    return _CALLED.search(line, max(0, start - _MAX_CALL_CHARACTERS), end + 1)


def _cut_url(old: str, new: str, start: int, end: int) -> tuple[str, str]:
    """The part of a changed URL that others share: up to its version, or the changed segment and the next."""
    stop = old.find("/", end)
    rest = old[stop:] if stop > 0 else ""
    if not rest or not new.endswith(rest):
        return old, new
    if _VERSION.search(old[:stop].rsplit("/", 1)[-1]):
        return old.removesuffix(rest), new.removesuffix(rest)
    first = old.rfind("/", 0, start) + 1
    if first <= old.index("//") + 2:
        return old, new
    following = rest.find("/", 1)
    more = len(rest) - following if following > 0 else 0
    return old[first : len(old) - more], new[first : len(new) - more]


def _literals(replacement: TokenReplacement) -> Iterator[tuple[str, str]]:
    old = literal_around(replacement.pair.old.text, *replacement.old_span)
    new = literal_around(replacement.pair.new.text, *replacement.new_span)
    if old and new and old.text != new.text:
        yield old.text, new.text


def literal_around(line: str, start: int, end: int) -> Token | None:
    """The quoted string, text between tags, text of a key or bare line that contains a span."""
    for match in _QUOTED.finditer(line):
        group = 2 if match[2] is not None else 3
        if match.start(group) <= start and end <= match.end(group):
            return Token(match[group].strip(), match.start(), match.end())
    for text in (_UNQUOTED_TEXT.match(line), _TEXT_LINE.match(line)):
        if text and text.start(1) <= start and end <= text.end(1):
            return Token(text[1], text.start(1), text.end(1))
    return None


def changed_line(pair: LinePair) -> ChangedText:
    """The whole line, without the markers of a comment or a list item."""
    return ChangedText("text", _without_markers(pair.old.text), _without_markers(pair.new.text))


def _without_markers(text: str) -> str:
    return re.sub(r"^\s*(?:#+|//+|/?\*+|-|--)?\s+|\s+(?:\*/)?$", "", f" {text}")


class OccurrenceCounts:
    """The numbers of times that texts occur in the removed, added and unchanged lines of a diff."""

    def __init__(self, texts: Iterable[str], files: Iterable[FilePatch]) -> None:
        self.removed: Counter[str] = Counter()
        self.added: Counter[str] = Counter()
        self.unchanged: Counter[str] = Counter()
        by_word = _by_rarest_word(texts)
        counts = {"-": self.removed, "+": self.added, " ": self.unchanged}
        for file in files:
            for line in file.lines():
                for word in by_word.keys() & set(_WORD.findall(line.text)):
                    for text, pattern in by_word[word]:
                        counts[line.mark][text] += len(pattern.findall(line.text))


def _by_rarest_word(texts: Iterable[str]) -> "dict[str, list[tuple[str, re.Pattern[str]]]]":
    """The texts by their rarest word, so that a line is searched only for texts whose word it has."""
    texts_by_word = defaultdict(list)
    words_by_text = {text: _WORD.findall(text) for text in sorted(set(texts))}
    counts = Counter(word for words in words_by_text.values() for word in set(words))
    for text, words in words_by_text.items():
        if words:
            rarest = min(words, key=lambda word: (counts[word], -len(word)))
            texts_by_word[rarest].append((text, mention(text)))
    return texts_by_word
