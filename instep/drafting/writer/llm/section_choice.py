"""The first prompt: the sections to read for a change, if a reader could notice it at all."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import islice
from math import log

from pydantic import BaseModel

from instep.drafting.writer.articles.corpus import corpus_of
from instep.drafting.writer.llm.article_contents import (
    ChangeReading,
    Contents,
    SectionReference,
    section_spans,
)
from instep.drafting.writer.relevance.article_features import article_features
from instep.drafting.writer.words.change_terms import change_terms
from instep.platform.llm.guard import DATA_RULE, delimit, reply_schema
from instep.platform.llm.protocol import Prompt

MAX_SECTIONS, MAX_SEARCHES = 12, 6
_MAX_OUTPUT_TOKENS = 2_000
_MAX_BODY_CHARACTERS, _MAX_ISSUE_CHARACTERS, _MAX_ISSUES = 6_000, 3_000, 3
_ISSUE_LABEL = "issue behind the change: what someone asked for, while the diff is what was made"
_MAX_FOUND = 3
# The share (0 to 1) of the weight of a query that a section must have.
_MIN_SHARE = 0.7

CHOICE_PROMPT = f"""
You keep the articles of a help center in step with a product's code. You get one code change and a table of \
contents: the nearest articles with their headings, and lines that have names of the change. Choose what to \
read before you edit: the sections that the change may make wrong or incomplete.

{DATA_RULE}

Rules:
- Think of a reader of the articles: which options, defaults, limits, names, commands, screens, texts, \
requirements or behaviors are new, changed or gone? Which article states them, lists their siblings, or \
explains the feature that they belong to? A new option belongs where its siblings are listed; a removed name \
is wrong wherever it is mentioned.
- `sections` are short names from the table of contents, the likeliest first, at most {MAX_SECTIONS}: `A3.2` \
for a section, `A3` for a whole article, which counts as one, or for an article that is listed by its title \
alone. `reason` says in a few words why it may need an edit.
- `searches`, at most {MAX_SEARCHES}: exact names or words as articles may state them, to look for in all \
articles, if the table may miss where they are. A search for words that many articles have finds nothing new.
- Leave both empty if no reader of any article could notice the change: refactoring, tests, builds, \
dependencies, an internal fix. If a reader may notice it and you are not sure where, choose what is nearest: \
it is read before anything is edited.

Answer with JSON alone: {{"sections": [{{"section": "A3.2", "reason": "…"}}], "searches": ["…"]}}
""".strip()


class ChosenSection(BaseModel):
    section: str
    reason: str = ""


class SectionChoice(BaseModel):
    sections: list[ChosenSection]
    searches: list[str] = []


def prompt_for_choice(reading: ChangeReading, max_bytes: int) -> Prompt:
    """The prompt, with a table of contents of at most `max_bytes` of UTF-8."""
    parts = [*change_parts(reading), ("table of contents", reading.contents.table(max_bytes))]
    return Prompt(CHOICE_PROMPT, delimit(parts), reply_schema(SectionChoice), _MAX_OUTPUT_TOKENS)


def change_parts(reading: ChangeReading) -> list[tuple[str, str]]:
    """The parts of a prompt that describe the change."""
    body = (reading.change.body or "")[:_MAX_BODY_CHARACTERS]
    described = [("description of the change", body)] if body.strip() else []
    issues = reading.change.context.issues[:_MAX_ISSUES]
    described += [(_ISSUE_LABEL, row.text[:_MAX_ISSUE_CHARACTERS]) for row in issues]
    return [("title of the change", reading.change.title), *described, ("diff", reading.diff)]


def chosen_sections(choice: SectionChoice, reading: ChangeReading) -> list[SectionReference]:
    """The chosen sections, plus sections of doubtful drafts and places, without duplicates; may be empty."""
    names = [row.section for row in choice.sections[:MAX_SECTIONS]]
    chosen = section_references(names, choice.searches, reading.contents)
    lines = [(row.article_id, each.article_line or 1) for row in reading.doubtful for each in row.evidence]
    if chosen:
        lines += [(place.article_id, place.line) for place in reading.report.places]
    return list(dict.fromkeys([*chosen, *_references_at(lines, reading.contents)]))


def section_references(
    names: Sequence[str], searches: Sequence[str], contents: Contents
) -> list[SectionReference]:
    """The named sections, then the found ones, without duplicates."""
    named = [reference for name in names if (reference := contents.find(name))]
    matches = [row for text in searches[:MAX_SEARCHES] for row in found_sections(contents, text)]
    return list(dict.fromkeys([*named, *matches]))


def _references_at(lines: Iterable[tuple[str | None, int]], contents: Contents) -> Iterator[SectionReference]:
    """The sections of these lines, from 1, of articles by their ids."""
    for article_id, line in lines:
        if article_id in contents.index_by_id:
            index = contents.index_by_id[article_id]
            spans = section_spans(contents.articles[index].text)
            number = next((row.number for row in spans if row.first <= line <= row.last), None)
            yield SectionReference(index, number)


def found_sections(contents: Contents, query: str) -> list[SectionReference]:
    """At most three sections that contain a query literally, or most of its words; best first."""
    exact = list(islice(_with_text(contents, query), _MAX_FOUND))
    return exact or _with_terms(contents, query)


def _with_text(contents: Contents, query: str) -> Iterator[SectionReference]:
    """The sections with a line that contains the query, in the order of the articles."""
    target = " ".join(query.casefold().split())
    for article in corpus_of(contents.articles).articles_with(query):
        index = contents.index_by_id[article.id]
        lines = article.text.casefold().split("\n")
        for span in section_spans(article.text):
            if target and any(target in line for line in lines[span.first - 1 : span.last]):
                yield SectionReference(index, span.number)


def _with_terms(contents: Contents, query: str) -> list[SectionReference]:
    """The sections with most of the terms, weighted by IDF."""
    scores: dict[tuple[int, int], float] = defaultdict(float)
    total = 0.0
    for term in change_terms(query):
        matches = {
            index: features.passages[term]
            for index, article in enumerate(contents.articles)
            if term in (features := article_features(article.title, article.text)).passages
        }
        weight = log(1 + len(contents.articles) / len(matches)) if matches else 0.0
        total += weight
        for index, passages in matches.items():
            for passage, _ in passages:
                scores[index, passage] += weight
    best = nlargest(_MAX_FOUND, scores, key=lambda key: (scores[key], -key[0]))
    return [
        SectionReference(index, _section_of(contents.articles[index].text, passage))
        for index, passage in best
        if scores[index, passage] >= _MIN_SHARE * total
    ]


def _section_of(text: str, passage: int) -> int:
    """The number of the section of a passage: passages are the non-blank sections."""
    lines = text.split("\n")
    filled = [
        span.number for span in section_spans(text) if "".join(lines[span.first - 1 : span.last]).strip()
    ]
    return filled[min(passage, len(filled) - 1)]
