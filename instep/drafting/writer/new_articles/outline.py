"""A new article without a model: its instructions in order, and quotations from other articles."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from textwrap import indent

from instep.drafting.writer.new_articles.outline_blocks import InstructionBlock, blocks_of
from instep.drafting.writer.new_articles.outline_sources import Quotation, SourcePassage, quotable
from instep.drafting.writer.shapes import Proposal, Report, Verdict

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")
_MAX_QUOTES, _MAX_RELATED = 3, 5
_MAX_WORDS = 3


@dataclass(frozen=True, slots=True)
class ArticleRequest:
    """A request for a new article; `hints` help to find related passages and do not appear in it.

    `reason` says why it was written, `missing` what to do if there are no instructions.
    """

    title: str
    instructions: str | None = None
    hints: str = ""
    reason: str = "A task asked for it."
    missing: str = "The request has no instructions: say what this article is to say."

    def quotable(self, sources: Sequence[SourcePassage]) -> list[Quotation]:
        """The passages that can be quoted for the subject as a whole."""
        return quotable(sources, f"{self.title}\n{self.instructions or ''}\n{self.hints}")


def topics_of(request: ArticleRequest) -> list[str]:
    """The topics that the instructions list, each of which gets its own heading."""
    blocks = blocks_of(request.instructions or "")
    return [topic for block in blocks if block.kind == "topics" for topic in block.lines]


@dataclass(slots=True)
class _Outline:
    """The parts of the article so far, its passages by article id, and points for a reviewer to check."""

    parts: list[str] = field(default_factory=list)
    quoted: dict[str, Quotation] = field(default_factory=dict)
    linked: dict[str, Quotation] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    quoted_texts: set[str] = field(default_factory=set)

    def quote(self, passage: Quotation) -> None:
        lines = [f"> {line}".rstrip() for line in passage.text.split("\n")]
        self.parts.append("\n".join([*lines, ">", f"> — {_link(passage.source)}"]))
        self.quoted.setdefault(passage.source.id, passage)
        self.quoted_texts.add(passage.text)

    def next_of(self, passages: Sequence[Quotation]) -> Quotation | None:
        return next((passage for passage in passages if passage.text not in self.quoted_texts), None)


def write_article(request: ArticleRequest, sources: Sequence[SourcePassage]) -> Report:
    """The article as a proposal: every sentence comes from the instructions or is quoted with a link."""
    blocks = blocks_of(request.instructions or "")
    outline = _Outline()
    _add_instructions(outline, request, blocks, sources)
    _add_related(outline, request.quotable(sources))
    if not blocks:
        outline.warnings.insert(0, request.missing)
    return Report(
        ranking=tuple(outline.quoted | outline.linked),
        need=1.0,
        proposals=(_proposal(request, outline),),
        reviewed=tuple(_verdicts(outline)),
        edit_sentence=f"Wrote “{request.title}” from {_origin(request, outline)}.",
    )


def _add_instructions(
    outline: _Outline,
    request: ArticleRequest,
    blocks: Sequence[InstructionBlock],
    sources: Sequence[SourcePassage],
) -> None:
    """Add the instructions, block by block."""
    if not blocks or blocks[0].kind != "text":
        outline.parts.append(_sentence(request.title))
    under_heading = False
    for block in blocks:
        if block.kind == "topics":
            _add_topics(outline, block.lines, sources)
        elif block.kind == "heading":
            outline.parts.append(f"## {block.text}")
        else:
            if block.kind == "steps" and not under_heading:
                outline.parts.append("## Steps")
            outline.parts.append(_as_list(block) if block.kind in ("steps", "points") else block.text)
        under_heading = block.kind == "heading"


def _add_topics(outline: _Outline, topics: Sequence[str], sources: Sequence[SourcePassage]) -> None:
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
        f"{mark} {indent(item, ' ' * (len(mark) + 1)).lstrip()}"
        for mark, item in zip(marks, block.lines, strict=True)
    )


def _add_related(outline: _Outline, passages: Sequence[Quotation]) -> None:
    """Add quotations on the whole subject, and links to related articles."""
    best: dict[str, Quotation] = {}
    for passage in passages:
        best.setdefault(passage.source.id, passage)
    quotes = [passage for passage in best.values() if passage.text not in outline.quoted_texts][:_MAX_QUOTES]
    if quotes:
        outline.parts.append("## What other articles say")
    for passage in quotes:
        outline.quote(passage)
    related = (outline.quoted | best).values()
    outline.linked = {passage.source.id: passage for passage in list(related)[:_MAX_RELATED]}
    if outline.linked:
        links = [f"- {_link(passage.source)}" for passage in outline.linked.values()]
        outline.parts += ["## Related articles", "\n".join(links)]


def _proposal(request: ArticleRequest, outline: _Outline) -> Proposal:
    return Proposal(
        type="new_article",
        article_id=None,
        title=request.title,
        text="\n\n".join(outline.parts) + "\n",
        reason=f"{request.reason} The text comes from {_origin(request, outline)}.",
        evidence=(),
        warnings=tuple(outline.warnings),
    )


def _verdicts(outline: _Outline) -> Iterator[Verdict]:
    for article_id, passage in (outline.quoted | outline.linked).items():
        words = ", ".join(f"“{word}”" for word in passage.shared_terms[:_MAX_WORDS])
        use = "Quoted" if article_id in outline.quoted else "Linked"
        yield Verdict(article_id, "no_edit", f"{use} in the new article: it shares {words} with the request.")


def _origin(request: ArticleRequest, outline: _Outline) -> str:
    basis = "the instructions" if (request.instructions or "").strip() else "the title"
    count = len(outline.quoted)
    if not count:
        return f"{basis} alone: no published article is about this"
    return f"{basis} and passages of {count} published article{'s' if count > 1 else ''}"


def _sentence(title: str) -> str:
    text = _escaped(title.strip())
    return text if text.endswith((".", "!", "?", "。")) else f"{text}."


def _link(source: SourcePassage) -> str:
    return f"[{_escaped(source.title)}]({source.url})"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
