"""A new article without a model: its instructions set in order, with what the articles say to its subject."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from instep.writer.new_articles.outline_blocks import InstructionBlock, blocks_of
from instep.writer.new_articles.outline_sources import Passage, Source, quotable
from instep.writer.shapes import Proposal, Report, Verdict

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")
_QUOTED_MOST, _RELATED_MOST = 3, 5
_WORDS_MOST = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """The article that is asked for; `hints` help to find what bears on it, and stand nowhere in it.

    `reason` says to the reviewer who asked for it, `missing` what to do where there are no instructions.
    """

    title: str
    instructions: str | None = None
    hints: str = ""
    reason: str = "A task asked for it."
    missing: str = "The request has no instructions: say what this article is to say."

    def quotable(self, sources: Sequence[Source]) -> list[Passage]:
        """What can be quoted on the whole of it."""
        return quotable(sources, f"{self.title}\n{self.instructions or ''}\n{self.hints}")


def topics_of(wanted: Wanted) -> list[str]:
    """What the instructions list to be written about, each under a heading of its own."""
    blocks = blocks_of(wanted.instructions or "")
    return [topic for block in blocks if block.kind == "topics" for topic in block.lines]


@dataclass(slots=True)
class _Outline:
    """The parts of the article so far, the articles behind them by id, and what is to be checked."""

    parts: list[str] = field(default_factory=list)
    quoted: dict[str, Passage] = field(default_factory=dict)
    linked: dict[str, Passage] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    said: set[str] = field(default_factory=set)

    def quote(self, passage: Passage) -> None:
        lines = [f"> {line}".rstrip() for line in passage.text.split("\n")]
        self.parts.append("\n".join([*lines, ">", f"> — {_link(passage.source)}"]))
        self.quoted.setdefault(passage.source.id, passage)
        self.said.add(passage.text)

    def next_of(self, passages: Sequence[Passage]) -> Passage | None:
        return next((passage for passage in passages if passage.text not in self.said), None)


def write_article(wanted: Wanted, sources: Sequence[Source]) -> Report:
    """The article as a proposal; every sentence is of the instructions or quoted from a linked article."""
    blocks = blocks_of(wanted.instructions or "")
    outline = _Outline()
    _tell(outline, wanted, blocks, sources)
    _close(outline, wanted.quotable(sources))
    if not blocks:
        outline.warnings.insert(0, wanted.missing)
    return Report(
        ranking=tuple(outline.quoted | outline.linked),
        need=1.0,
        proposals=(_proposal(wanted, outline),),
        reviewed=tuple(_verdicts(outline)),
        summary=f"Wrote “{wanted.title}” from {_origin(wanted, outline)}.",
    )


def _tell(
    outline: _Outline, wanted: Wanted, blocks: Sequence[InstructionBlock], sources: Sequence[Source]
) -> None:
    """The instructions, block by block."""
    if not blocks or blocks[0].kind != "text":
        outline.parts.append(_sentence(wanted.title))
    under_heading = False
    for block in blocks:
        if block.kind == "topics":
            _tell_topics(outline, block.lines, sources)
        elif block.kind == "heading":
            outline.parts.append(f"## {block.text}")
        else:
            if block.kind == "steps" and not under_heading:
                outline.parts.append("## Steps")
            outline.parts.append(_as_list(block) if block.kind in ("steps", "points") else block.text)
        under_heading = block.kind == "heading"


def _tell_topics(outline: _Outline, topics: Sequence[str], sources: Sequence[Source]) -> None:
    for topic in topics:
        outline.parts.append(f"## {topic}")
        passage = outline.next_of(quotable(sources, topic, topic))
        if passage:
            outline.quote(passage)
        else:
            outline.warnings.append(f"No published article says anything about “{topic}”: write this part.")


def _as_list(block: InstructionBlock) -> str:
    marks = [f"{number}." if block.kind == "steps" else "-" for number in range(1, len(block.lines) + 1)]
    return "\n".join(
        f"{mark} " + item.replace("\n", "\n" + " " * (len(mark) + 1))
        for mark, item in zip(marks, block.lines, strict=True)
    )


def _close(outline: _Outline, bearing: Sequence[Passage]) -> None:
    """What the articles say to the whole subject, and which of them to read on."""
    best: dict[str, Passage] = {}
    for passage in bearing:
        best.setdefault(passage.source.id, passage)
    quotes = [one for one in best.values() if one.text not in outline.said][:_QUOTED_MOST]
    if quotes:
        outline.parts.append("## What other articles say")
    for passage in quotes:
        outline.quote(passage)
    related = (outline.quoted | best).values()
    outline.linked = {one.source.id: one for one in list(related)[:_RELATED_MOST]}
    if outline.linked:
        links = [f"- {_link(one.source)}" for one in outline.linked.values()]
        outline.parts += ["## Related articles", "\n".join(links)]


def _proposal(wanted: Wanted, outline: _Outline) -> Proposal:
    return Proposal(
        type="new_article",
        article_id=None,
        title=wanted.title,
        text="\n\n".join(outline.parts) + "\n",
        reason=f"{wanted.reason} It is made from {_origin(wanted, outline)}.",
        evidence=(),
        warnings=tuple(outline.warnings),
    )


def _verdicts(outline: _Outline) -> Iterator[Verdict]:
    for article_id, passage in (outline.quoted | outline.linked).items():
        words = ", ".join(f"“{word}”" for word in passage.shared_terms[:_WORDS_MOST])
        use = "Quoted" if article_id in outline.quoted else "Linked"
        yield Verdict(article_id, "no_edit", f"{use} in the new article: it shares {words} with the request.")


def _origin(wanted: Wanted, outline: _Outline) -> str:
    own = "its instructions" if (wanted.instructions or "").strip() else "its title"
    count = len(outline.quoted)
    if not count:
        return f"{own}; no published article bears on it"
    return f"{own} and passages of {count} published article{'s' if count > 1 else ''}"


def _sentence(title: str) -> str:
    text = _escaped(title.strip())
    return text if text.endswith((".", "!", "?", "。")) else f"{text}."


def _link(source: Source) -> str:
    return f"[{_escaped(source.title)}]({source.url})"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
