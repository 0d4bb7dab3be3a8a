"""A new article written out by a model, from numbered sources, in place of the outline of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from instep.core import limits
from instep.core.identifiers import mention
from instep.llm.protocol import Prompt, bytes_of, tokens_of
from instep.writer.llm.delimiters import delimited, shortened
from instep.writer.llm.edits import Outcome
from instep.writer.llm.grounding import content_terms, facts_of, sentences
from instep.writer.llm.markup import LinkPolicy, violation
from instep.writer.llm.prompts import ARTICLE_PROMPT, article_reason, warnings_of
from instep.writer.llm.replies import Block, Blocks, blocks_schema, read_reply
from instep.writer.new_articles.outline import Wanted, topics_of
from instep.writer.new_articles.outline_sources import Source, quotable
from instep.writer.shapes import Change, Proposal, Report

_PASSAGES, _BLOCKS = 12, 60
_FOUNDED = 0.6
_RELATED = "\n\n## Related articles\n\n"
_FEWEST_ROOM = 2_000


@dataclass(frozen=True, slots=True)
class Request:
    """What an article is to be about, and what it may be written from; number 0 is what was asked itself."""

    title: str
    asked: str
    sources: tuple[str, ...]


def request_of(wanted: Wanted, sources: Sequence[Source]) -> Request:
    """For a task that asks for an article: the passages that bear on it."""
    of_topics = [quotable(sources, topic, topic)[:1] for topic in topics_of(wanted)]
    bearing = [one for some in (*of_topics, wanted.quotable(sources)) for one in some]
    passages = dict.fromkeys(f"{one.source.title}\n\n{one.text}" for one in bearing)
    return Request(wanted.title, wanted.instructions or "", tuple(passages)[:_PASSAGES])


def request_for(proposal: Proposal, change: Change) -> Request:
    """For an article that a change makes necessary: what the writer has gathered for it."""
    return Request(proposal.title, change.title, (proposal.text,))


def ask_for_article(request: Request, tokens: int) -> Prompt | None:
    """None where there is nothing to write from, or no room."""
    if not request.asked.strip() and not request.sources:
        return None
    most = min(limits.MAX_COMPLETION_TOKENS, tokens // 3)
    schema = blocks_schema()
    room = bytes_of(tokens - most - tokens_of(ARTICLE_PROMPT, str(schema))) - 200 * (len(request.sources) + 2)
    if room < _FEWEST_ROOM:
        return None
    texts = (request.asked, *request.sources)
    parts = [("title of the article", request.title)] + [
        (f"source {number}", shortened(text, room // len(texts))) for number, text in enumerate(texts)
    ]
    return Prompt(ARTICLE_PROMPT, delimited(parts), schema, most)


def with_article(request: Request, report: Report, at: int, reply: str, model: str) -> Outcome:
    """The report with proposal number `at` written out: the blocks that hold; the outline where none does."""
    read = read_reply(Blocks, reply)
    if read is None:
        return Outcome(report, "Its reply has not the form that was asked for.")
    faults = [_fault_of(block, request) for block in read.blocks[:_BLOCKS]]
    kept = [block.text.strip("\n") for block, fault in zip(read.blocks, faults, strict=False) if not fault]
    outline = report.proposals[at]
    warnings = (*outline.warnings, *warnings_of([fault for fault in faults if fault], "part"))
    text = "\n\n".join(_without_empty_headings(kept))
    if (
        not text.strip()
        or violation("", text, LinkPolicy())
        or len(text) > limits.MAX_CONTENT_CHARACTERS // 2
    ):
        return Outcome(_put(report, at, replace(outline, warnings=warnings)), "No part of its text holds.")
    written = replace(
        outline,
        text=text + _related(outline.text),
        reason=article_reason(outline.reason, model),
        warnings=warnings,
    )
    return Outcome(_put(report, at, written), None)


def _put(report: Report, at: int, proposal: Proposal) -> Report:
    return replace(report, proposals=(*report.proposals[:at], proposal, *report.proposals[at + 1 :]))


def _fault_of(block: Block, request: Request) -> str | None:
    texts = dict(enumerate((f"{request.title}\n{request.asked}", *request.sources)))
    if not block.sources or any(number not in texts for number in block.sources):
        return "it names no source"
    if fault := violation("", block.text, LinkPolicy()):
        return fault
    return _fault_of_words(block, {number: texts[number] for number in block.sources}, request)


def _fault_of_words(block: Block, cited: Mapping[int, str], request: Request) -> str | None:
    said = "\n".join((request.title, *cited.values()))
    terms = frozenset(content_terms(said))
    for fact in facts_of(block.text, is_code=False):
        if not mention(fact).search(said) and not terms.issuperset(content_terms(fact) or [fact]):
            return f"its sources don't say `{fact[:60]}`"
    for sentence in sentences(block.text, is_code=False):
        wanted = content_terms(sentence)
        if sum(term in terms for term in wanted) < _FOUNDED * len(wanted):
            return "it says what its sources don't say"
    if terms.isdisjoint(content_terms(block.text)) or not _concerns(block, request):
        return "it does not concern what was asked for"
    return None


def _concerns(block: Block, request: Request) -> bool:
    """A block that rests on the request does; one from a passage must share a word with the request."""
    if 0 in block.sources:
        return True
    return not set(content_terms(f"{request.title}\n{request.asked}")).isdisjoint(content_terms(block.text))


def _without_empty_headings(blocks: Sequence[str]) -> list[str]:
    """A heading whose parts were all left out says nothing."""
    following = [*blocks[1:], "#"][: len(blocks)]
    return [
        block
        for block, after in zip(blocks, following, strict=True)
        if not (block.startswith("#") and "\n" not in block.strip() and after.startswith("#"))
    ]


def _related(outline: str) -> str:
    """The links under the outline, which the server has made, go with the written text."""
    _, found, links = outline.rpartition(_RELATED)
    return f"{_RELATED}{links}" if found else "\n"
