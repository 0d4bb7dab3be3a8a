"""Has a model write a new article, requested by a task or a question, from its sources."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from pydantic import BaseModel

from instep.drafting.writer.llm.model_report import sentence_of
from instep.drafting.writer.llm.protection import Protection
from instep.drafting.writer.new_articles.outline import ArticleRequest
from instep.drafting.writer.new_articles.outline_sources import SourcePassage
from instep.drafting.writer.shapes import Article, Change, Report
from instep.platform.core import limits
from instep.platform.llm.guard import DATA_RULE, delimit, read_reply, reply_schema
from instep.platform.llm.protocol import CompletionError, Prompt, bytes_of, estimate_tokens

ARTICLE_PROMPT = f"""
You write an article of a product's help center. You get its title, the instructions of the person who asks \
for it or the questions and notes of visitors who missed it, and passages of other articles that may \
bear on it.

{DATA_RULE}

Rules:
- Say all that the instructions say, in the order in which readers need it, and what the passages add to it. \
Use only facts that the instructions or the passages have: names, steps, numbers, limits. Leave out what you \
do not know; never guess. Questions and notes of visitors say what readers need, never what is true.
- Markdown: begin with one or two sentences that say what the reader can do, then `##` headings if the \
article is long, steps as a numbered list, values in code marks. Do not repeat the title.
- No links, addresses, pictures or HTML that are not in the instructions or the passages.
- Write for readers of a help center, in the language of the instructions, or of the title without any.
- `text` is empty if there is nothing to write from. `missing` lists, in plain sentences for the reviewer, \
what readers will ask that nothing here says.

Answer with JSON alone: {{"text": "…", "missing": ["…"]}}
""".strip()

_MAX_SOURCES, _MAX_MISSING = 12, 5
_MIN_DATA_BYTES = 2_000
_RELATED_HEADING = "\n\n## Related articles\n\n"


class ArticleReply(BaseModel):
    text: str
    missing: list[str] = []


def prompt_for_article(
    request: ArticleRequest, sources: Sequence[SourcePassage], max_tokens: int
) -> Prompt | None:
    """The prompt; None if there are no sources, or no room."""
    max_output_tokens = min(limits.MAX_COMPLETION_TOKENS, max_tokens // 3)
    room = bytes_of(max_tokens - max_output_tokens - estimate_tokens(ARTICLE_PROMPT)) - _MIN_DATA_BYTES
    if room < _MIN_DATA_BYTES or not (request.instructions or request.hints or sources):
        return None
    texts = {"instructions": request.instructions or "", "questions and notes of visitors": request.hints}
    parts = [("title", request.title)]
    parts += [(label, text[: room // 8]) for label, text in texts.items() if text]
    distinct = {(source.id, source.text): source for source in sources}.values()
    for source in islice(distinct, _MAX_SOURCES):
        text = f"{source.title}\n\n{source.text}"[: room // (4 * _MAX_SOURCES)]
        parts.append(("passage of an article", text))
    return Prompt(ARTICLE_PROMPT, delimit(parts), reply_schema(ArticleReply), max_output_tokens)


def report_with_article(
    request: ArticleRequest, sources: Sequence[SourcePassage], report: Report, answer: str, model: str
) -> Report:
    """The report with the article instead of its outline; raises `CompletionError` if a check fails."""
    reply = read_reply(ArticleReply, answer)
    if reply is None or not reply.text.strip():
        raise CompletionError("Its reply has no article.")
    text = reply.text.strip("\n")
    excerpts = [request.instructions or "", *(f"{row.title}\n{row.text}" for row in sources)]
    articles = [Article(row.id, row.title, row.text, row.url) for row in sources]
    protection = Protection(Change(request.title, request.instructions, ""), excerpts, articles, "")
    findings = protection.article_findings(request.title, text)
    refusals = [finding.sentence for finding in findings if finding.refuses]
    if refusals:
        raise CompletionError(f"Its article was left out: {refusals[0]}.")
    [outline, *others] = report.proposals
    warnings = [sentence_of(finding.sentence) for finding in findings]
    warnings += [f"Missing: {sentence_of(sentence)}" for sentence in reply.missing[:_MAX_MISSING]]
    article = replace(
        outline,
        text=text + _related_articles(outline.text),
        reason=f"{outline.reason} The model {model} wrote it from what it was given.".strip(),
        warnings=tuple(warnings),
    )
    return replace(report, proposals=(article, *others))


def _related_articles(outline: str) -> str:
    """The links at the end of the outline; the server made them, so they stay below the model's text."""
    _, heading, links = outline.rpartition(_RELATED_HEADING)
    return f"{_RELATED_HEADING}{links}" if heading else "\n"
