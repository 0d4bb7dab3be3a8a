"""A new article written out by a model from numbered sources, in place of its outline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from instep.core import limits
from instep.core.name_matching import mention
from instep.llm.facts import stated_facts
from instep.llm.guard import LinkPolicy, delimit, read_reply
from instep.llm.protocol import Prompt, bytes_of, estimate_tokens
from instep.writer.llm.grounding import content_terms, sentences_of_markdown
from instep.writer.llm.markup import violation
from instep.writer.llm.model_edits import ReplyOutcome
from instep.writer.llm.prompt_data import cut_to_bytes
from instep.writer.llm.prompts import ARTICLE_PROMPT, article_reason, fault_warnings
from instep.writer.llm.replies import ReplyBlock, ReplyBlocks, blocks_schema
from instep.writer.new_articles.outline import ArticleRequest, topics_of
from instep.writer.new_articles.outline_sources import SourcePassage, quotable
from instep.writer.shapes import Change, Proposal, Report

_MAX_SOURCES, _MAX_BLOCKS = 12, 60
# The share (0..1) of a sentence's terms that its sources must have.
_MIN_GROUNDED_SHARE = 0.6
_RELATED_HEADING = "\n\n## Related articles\n\n"
_MIN_DATA_BYTES = 2_000
# The lines around each piece of data, and JSON's escapes of it.
_LABEL_BYTES = 200


@dataclass(frozen=True, slots=True)
class ContentBrief:
    """The subject of an article and what it may be written from. `instructions` count as source number 0."""

    title: str
    instructions: str
    sources: tuple[str, ...]


def brief_from_task(request: ArticleRequest, sources: Sequence[SourcePassage]) -> ContentBrief:
    """The brief for an article that a task asks for, with the passages that bear on its topics."""
    best_by_topic = [quotable(sources, topic, topic)[:1] for topic in topics_of(request)]
    quotes = [quote for group in (*best_by_topic, request.quotable(sources)) for quote in group]
    passages = dict.fromkeys(f"{quote.source.title}\n\n{quote.text}" for quote in quotes)
    return ContentBrief(request.title, request.instructions or "", tuple(passages)[:_MAX_SOURCES])


def brief_from_change(proposal: Proposal, change: Change) -> ContentBrief:
    """The brief for an article that a change makes necessary, with what the writer has gathered for it."""
    return ContentBrief(proposal.title, change.title, (proposal.text,))


def prompt_for_article(brief: ContentBrief, max_tokens: int) -> Prompt | None:
    """None where there is nothing to write from, or no room."""
    if not brief.instructions.strip() and not brief.sources:
        return None
    max_output_tokens = min(limits.MAX_COMPLETION_TOKENS, max_tokens // 3)
    schema = blocks_schema()
    data_tokens = max_tokens - max_output_tokens - estimate_tokens(ARTICLE_PROMPT, str(schema))
    data_bytes = bytes_of(data_tokens) - _LABEL_BYTES * (len(brief.sources) + 2)
    if data_bytes < _MIN_DATA_BYTES:
        return None
    texts = (brief.instructions, *brief.sources)
    parts = [("title of the article", brief.title)] + [
        (f"source {number}", cut_to_bytes(text, data_bytes // len(texts)))
        for number, text in enumerate(texts)
    ]
    return Prompt(ARTICLE_PROMPT, delimit(parts), schema, max_output_tokens)


def with_article(brief: ContentBrief, report: Report, index: int, reply: str, model: str) -> ReplyOutcome:
    """The report with proposal number `index` written out from the valid blocks; the outline without any."""
    reply_blocks = read_reply(ReplyBlocks, reply)
    if reply_blocks is None:
        return ReplyOutcome(report, "Its reply has not the form that was asked for.")
    faults = [_fault_of(block, brief) for block in reply_blocks.blocks[:_MAX_BLOCKS]]
    valid_texts = [
        block.text.strip("\n") for block, fault in zip(reply_blocks.blocks, faults, strict=False) if not fault
    ]
    outline = report.proposals[index]
    warnings = (*outline.warnings, *fault_warnings([fault for fault in faults if fault], "part"))
    text = "\n\n".join(_without_empty_headings(valid_texts))
    if (
        not text.strip()
        or violation("", text, LinkPolicy())
        or len(text) > limits.MAX_CONTENT_CHARACTERS // 2
    ):
        outline = replace(outline, warnings=warnings)
        return ReplyOutcome(_with_proposal(report, index, outline), "No part of its text holds.")
    article = replace(
        outline,
        text=text + _related_articles(outline.text),
        reason=article_reason(outline.reason, model),
        warnings=warnings,
    )
    return ReplyOutcome(_with_proposal(report, index, article), None)


def _with_proposal(report: Report, index: int, proposal: Proposal) -> Report:
    return replace(report, proposals=(*report.proposals[:index], proposal, *report.proposals[index + 1 :]))


def _fault_of(block: ReplyBlock, brief: ContentBrief) -> str | None:
    texts = dict(enumerate((f"{brief.title}\n{brief.instructions}", *brief.sources)))
    if not block.sources or any(number not in texts for number in block.sources):
        return "it names no source"
    if fault := violation("", block.text, LinkPolicy()):
        return fault
    return _content_fault(block, {number: texts[number] for number in block.sources}, brief)


def _content_fault(block: ReplyBlock, cited: Mapping[int, str], brief: ContentBrief) -> str | None:
    source_text = "\n".join((brief.title, *cited.values()))
    source_terms = frozenset(content_terms(source_text))
    for fact in stated_facts(block.text, is_code=False):
        if not mention(fact).search(source_text) and not source_terms.issuperset(
            content_terms(fact) or [fact]
        ):
            return f"its sources don't say `{fact[:60]}`"
    for sentence in sentences_of_markdown(block.text):
        terms = content_terms(sentence)
        if sum(term in source_terms for term in terms) < _MIN_GROUNDED_SHARE * len(terms):
            return "it says what its sources don't say"
    if source_terms.isdisjoint(content_terms(block.text)) or not _concerns(block, brief):
        return "it does not concern what was asked for"
    return None


def _concerns(block: ReplyBlock, brief: ContentBrief) -> bool:
    """Whether a block cites the brief, or shares a term with it."""
    if 0 in block.sources:
        return True
    brief_terms = set(content_terms(f"{brief.title}\n{brief.instructions}"))
    return not brief_terms.isdisjoint(content_terms(block.text))


def _without_empty_headings(blocks: Sequence[str]) -> list[str]:
    """A heading goes when all blocks below it were left out."""
    next_blocks = [*blocks[1:], "#"][: len(blocks)]
    return [
        block
        for block, next_block in zip(blocks, next_blocks, strict=True)
        if not (block.startswith("#") and "\n" not in block.strip() and next_block.startswith("#"))
    ]


def _related_articles(outline: str) -> str:
    """The links at the end of the outline: the server has made them, so they stay below the model's text."""
    _, heading, links = outline.rpartition(_RELATED_HEADING)
    return f"{_RELATED_HEADING}{links}" if heading else "\n"
