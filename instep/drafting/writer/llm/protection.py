"""Checks a model's text for content that must not be proposed and content that a reviewer should check."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from instep.drafting.writer.articles.parsed_article import front_matter
from instep.drafting.writer.articles.restructured import with_markdown_titles
from instep.drafting.writer.editing.edits import apply as apply_edits
from instep.drafting.writer.llm.doubts import Doubts, moved_sentences
from instep.drafting.writer.llm.known_facts import KnownFacts, KnownNames
from instep.drafting.writer.llm.known_links import KnownLinks, named_addresses, named_hosts
from instep.drafting.writer.llm.located_edit import Fault, LocatedEdit
from instep.drafting.writer.shapes import Article, Change
from instep.drafting.writer.words.prose import is_restructured
from instep.platform.core.directives import count_broken
from instep.platform.llm.facts import CODE
from instep.platform.llm.guard import PROMPT_INJECTION
from instep.platform.llm.page_elements import COMPLEX, Elements, Kind, elements_of, hidden_characters

_MAX_REMOVED_SHARE, _MAX_REMOVED_CHARACTERS = 0.5, 2_000
_SPEAKS_TO_MODEL = re.compile(
    r"\byour (?:\w+ ){0,2}(?:instructions|prompt|response)\b|\bI was instructed\b|\bsupposed to tell\b"
    r"|\b(?:as|you are) an? (?:AI|language model|assistant)\b",
    re.IGNORECASE,
)
_ASKS_FOR_SECRETS = re.compile(
    r"\b(?:send|email|post|paste|write|give|share|enter|type|submit|forward|message|contact|tell)\b(?!/password)[^.\n]{0,60}"
    r"\b(?:password|passphrase|secrets?|credentials?|api keys?|private keys?|credit cards?|seed phrase"
    r"|bitcoin|wallet|ransom)\b"
    r"|\bcontact\b[^.\n]{0,60}\bto pay\b",
    re.IGNORECASE,
)
# Words that an edit must not have more often than the text before; the last column is whether they refuse it.
_SUSPECT_WORDS = (
    (PROMPT_INJECTION, "it addresses a language model", True),
    (_SPEAKS_TO_MODEL, "it may address a language model", False),
    (_ASKS_FOR_SECRETS, "it asks readers for a secret or a payment", False),
)
_MARKUP_FAULTS: dict[Kind, str] = {
    "active": "it adds {}",
    "html": "it adds HTML, `<{}>`, that no article has",
    "comment": "it adds a comment that readers don't see",
    "mark": "it adds the template mark `{}`",
    "module": "it adds the line `{:.80}`, which no article has",
    "complex": "the article would be too complex to render",
}


class Protection:
    """The checks for one change. `shown_texts` are all other texts that the model was shown."""

    def __init__(
        self, change: Change, shown_texts: Sequence[str], articles: Sequence[Article], help_url: str
    ) -> None:
        self._articles = articles
        texts = [change.title, change.body or "", change.diff, *shown_texts]
        contents = [f"{article.title}\n{article.text}" for article in articles]
        self._doubts = Doubts(change, contents)
        # Anyone may write an issue, so that its hosts are not known.
        version = change.context.next_version
        more = [*(row.text for row in change.context.issues), *(row.text for row in change.context.code)]
        self._facts = KnownFacts([*texts, *more, version, version.removesuffix(".0")], contents)
        names = [name for article in articles for name in (article.id, article.title, article.url)]
        self._links = KnownLinks(help_url, texts, contents, [*names, *self._doubts.paths])

    @cached_property
    def _known_elements(self) -> Elements:
        elements: Elements = Counter()
        for article in self._articles:
            elements.update(_elements(article.text))
        return elements

    def findings(self, article: Article, edits: Sequence[LocatedEdit]) -> list[Fault]:
        """The faults of each edit; the edits are in text order."""
        findings = list(self._markup_findings(article.text, edits))
        names = KnownNames([f"{article.title}\n{article.text}"])
        is_markdown = not is_restructured(article.text)
        blocks = [match.span() for match in CODE.finditer(article.text) if match[2] is not None]
        lines = [_whole_lines(edit, article.text) for edit in edits]
        moved = moved_sentences(lines)
        for index, (edit, (old, new)) in enumerate(zip(edits, lines, strict=True)):
            line = article.text.rfind("\n", 0, edit.start) + 1
            in_code = is_markdown and any(start < line < end for start, end in blocks)
            findings += _at(
                index,
                *self._hard_faults(article.text, edit, old, new),
                *self._facts.faults(new, old, names, is_markdown, in_code),
                *self._doubts.faults(moved, old, new),
            )
        findings += self._removal_findings(article.text, edits)
        findings += _directive_findings(article.text, edits)
        return sorted(findings, key=lambda finding: finding.edit)

    def article_findings(self, title: str, text: str) -> list[Fault]:
        """The faults of a new article, or of a new title without a text."""
        findings = self.findings(Article("", "", ""), [LocatedEdit(0, 0, f"# {title}\n\n{text}")])
        return findings + ([Fault("it has front matter", True)] if front_matter(text) else [])

    def _hard_faults(self, text: str, edit: LocatedEdit, old: str, new: str) -> Iterator[Fault]:
        if front_matter(apply_edits([edit], text)) != front_matter(text):
            yield Fault("it changes the front matter", True)
        if hidden_characters(new) - hidden_characters(old):
            yield Fault("it has characters that nobody sees", True)
        for pattern, sentence, refuses in _SUSPECT_WORDS:
            if len(pattern.findall(new)) > len(pattern.findall(old)):
                yield Fault(sentence, refuses)
        addresses = Counter(named_addresses(new)) - Counter(named_addresses(old))
        hosts = Counter(named_hosts(new)) - Counter(named_hosts(old))
        yield from filter(None, map(self._links.fault_of_address, addresses))
        yield from filter(None, map(self._links.fault_of_host, hosts))

    def _markup_findings(self, text: str, edits: Sequence[LocatedEdit]) -> Iterator[Fault]:
        """Faults of the markup that the edits add together, reported for the edits that add it."""
        head = len(front_matter(text))
        body, before = text[head:], _elements(text[head:])
        inside = {
            index: replace(edit, start=edit.start - head, end=edit.end - head)
            for index, edit in enumerate(edits)
            if edit.start >= head
        }
        if COMPLEX in before:
            # The article takes too long to render, so only the lines of each edit are rendered.
            for index, edit in inside.items():
                old, new = _whole_lines(edit, body)
                yield from _at(index, *self._markup_faults(_elements(old), new))
            return
        faults = set(self._markup_faults(before, apply_edits(list(inside.values()), body)))
        alone = {
            index: faults & set(self._markup_faults(before, apply_edits([edit], body)))
            for index, edit in inside.items()
            if faults
        }
        joint = faults.difference(*alone.values())
        for index, faults in alone.items():
            yield from _at(index, *faults, *joint)

    def _markup_faults(self, before: Elements, after: str) -> Iterator[Fault]:
        for kind, value in _elements(after) - before:
            if fault := self._element_fault(kind, value, before):
                yield fault

    def _element_fault(self, kind: Kind, value: str, before: Elements) -> Fault | None:
        match kind:
            case "link":
                return self._links.fault_of_link(value)
            case "picture":
                return self._links.fault_of_picture(value)
            case "html" if self._has_html(value, before):
                return None
            case "mark" if (kind, value) in before:
                return None
            case "module" if (kind, value) in self._known_elements:
                return None
        return Fault(_MARKUP_FAULTS[kind].format(value), True)

    def _has_html(self, value: str, before: Elements) -> bool:
        """True if this or another article has the element, with at least these attributes."""
        tag, *attributes = value.split()
        others = (other.split() for kind, other in (*before, *self._known_elements) if kind == "html")
        return any(other[0] == tag and set(attributes) <= set(other[1:]) for other in others)

    def _removal_findings(self, text: str, edits: Sequence[LocatedEdit]) -> Iterator[Fault]:
        for index, edit in enumerate(edits):
            if not edit.new.strip() and text[edit.start : edit.end].rstrip().endswith(":"):
                yield Fault("it removes the sentence that introduces what follows", False, index)
        lost = [max(0, edit.end - edit.start - len(edit.new)) for edit in edits]
        if (
            sum(lost) > max(_MAX_REMOVED_CHARACTERS, _MAX_REMOVED_SHARE * len(text))
            and not self._doubts.removes_something
        ):
            sentence = "it removes much of the article, and the change removes nothing"
            yield from (Fault(sentence, True, index) for index, characters in enumerate(lost) if characters)


def _directive_findings(text: str, edits: Sequence[LocatedEdit]) -> Iterator[Fault]:
    """Faults of edits after which a directive has no end, or an end has no directive."""
    before = count_broken(text)
    if count_broken(apply_edits(list(edits), text)) <= before:
        return
    breaking = [index for index, edit in enumerate(edits) if count_broken(apply_edits([edit], text)) > before]
    for index in breaking or range(len(edits)):
        yield Fault("it breaks the `:::` lines of a directive", True, index)


def _at(index: int, *faults: Fault) -> list[Fault]:
    """The faults of the edit with this index, without duplicates."""
    return [replace(fault, edit=index) for fault in dict.fromkeys(faults)]


def _elements(text: str) -> Elements:
    """The active parts of a text, also of reStructuredText, whose underlines Markdown reads as fences."""
    titled = with_markdown_titles(text)
    return elements_of(text) if titled == text else elements_of(text) | elements_of(titled)


def _whole_lines(edit: LocatedEdit, text: str) -> tuple[str, str]:
    """The lines that an edit touches, before and after it."""
    start, end = text.rfind("\n", 0, edit.start) + 1, text.find("\n", edit.end)
    end = len(text) if end < 0 else end
    return text[start:end], text[start : edit.start] + edit.new + text[edit.end : end]
