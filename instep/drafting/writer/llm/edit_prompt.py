"""The second prompt, which asks for edits of the sections read, and the prompt about refused edits."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from instep.drafting.writer.llm.article_contents import (
    ChangeReading,
    Contents,
    ShownArticle,
    changed_text,
    numbered_text,
)
from instep.drafting.writer.llm.checked_edits import ArticleEdits
from instep.drafting.writer.llm.diff_text import size_of
from instep.drafting.writer.llm.edit_forms import ModelEdit, ModelReply
from instep.drafting.writer.llm.section_choice import change_parts
from instep.drafting.writer.shapes import Proposal
from instep.platform.core import limits
from instep.platform.llm.guard import DATA_RULE, delimit, reply_schema
from instep.platform.llm.protocol import Prompt

EDIT_FORMS = """
`edits`: each has the `article` (`A3`), an `action`, and
- `replace`: `old` is copied from the article, character by character, without line numbers, and begins in \
line `line`: a sentence, a row, a few lines. `new` is what stands there instead.
- `insert`: `new` are whole lines after line `line`, which is not blank and whose text is `old`: a table \
row, list item, paragraph or section with its heading. Begin `new` with a blank line if it is a block of its \
own.
- `delete`: the lines `line` to `last`; `old` is the text of the first.
- `move`: the lines `line` to `last` go after line `to`; `old` is the text of the first.
- `rename`: each mention of the name `old` in the article, also in parts that you do not see, becomes `new`.
- `title`: the title of the article becomes `new`.
""".strip()
_REASON = "`reason` is one plain sentence for the reviewer: why readers need this edit."
EDIT_PROMPT = f"""
You keep the articles of a help center in step with a product's code. You get one code change, and the parts \
of articles that it may concern, every line as `number|text`. Propose the edits that make these articles \
true and complete again, as a careful technical writer of the company would: the smallest edits that say all \
that readers need.

{DATA_RULE}

What to write:
- Correct what the change makes wrong, add what it makes missing, and take out what is gone. A new option, \
value, command, field, event or limit belongs in the list or table of its siblings, in the same form as they \
have. A feature that readers have to learn about gets a sentence, paragraph or section where its siblings are.
- Write what readers can see or do, in the language, tone and form of the article. Explain in a sentence or \
two what something is for if the change tells it. Do not write about code, tests, refactoring or the change \
itself, and do not repeat its title.
- Use only facts that the change or the articles have. If the change does not say what readers need to know, \
write less, or propose a `check`, never a guess.
- Bring in no links, addresses, pictures or HTML of your own; a form that siblings in the article have is \
fine. Never change front matter. The columns of a table need not line up.
- Leave alone what is still true, and what was wrong before the change. No edit is the right answer for an \
article that the change does not make wrong or incomplete: name it in `unchanged`, and say why in one \
sentence.
- Make all edits that an article needs, wherever you see it: the edits of one article stand or fall together.

{EDIT_FORMS}
- `check`: line `line`, whose text is `old`, becomes wrong or incomplete, but neither the change nor the \
articles have the facts for the new text, so a person writes it. `new` is empty, and `reason` says what \
readers miss. An edit is better, if you can make it.
{_REASON} `quote` is copied from one line of the diff (without its `+` or `-`), the description or \
the title: the line that proves it.

`articles`: new articles, only for a feature that needs a page of its own and that no article is about: \
`near` (an article in whose collection it belongs), `title`, `text` in Markdown in the tone of its \
neighbors, `reason`, `quote`.
`show` and `searches`: sections (`A3.2`) or exact words that you have to see before you can finish. You get \
them once at most; make all edits that you are sure of now.

Answer with JSON alone: {{"edits": [{{"article": "A3", "action": "replace", "line": 12, "last": 0, "to": 0, \
"old": "…", "new": "…", "reason": "…", "quote": "…"}}], "articles": [], "unchanged": [{{"article": "A5", \
"reason": "…"}}], "show": [], "searches": []}}
""".strip()

# For one article and the code of today.
CODE_PROMPT = f"""
You keep the articles of a help center in step with a product's code. You get one article, every line as \
`number|text`, and parts of the product's code of today, which were found by the names in the article, and \
past changes that removed such names. Find what the article says that this code contradicts, and correct it \
with the smallest edits, as a careful technical writer of the company would.

{DATA_RULE}

Rules:
- A statement is wrong only if a line of the shown code says otherwise: another name, value, default, limit, \
unit, option, type, address, message, order or condition. Check the statements one by one: lists, tables, \
numbers, commands, samples and the sentences between them.
- You see a part of the code. Words that it lacks may be elsewhere, so never take out or change a statement \
because you don't find it. Only code that lists all of a kind (an enumeration, a schema, the options of one \
command) shows that one of them is gone, or that a list of the article which claims to be complete lacks one.
- After "changed by the commit" comes a part of a past change: lines with `-` were removed, lines with `+` \
added. At least one name of the article in its removed lines is nowhere in the code of today. If the change \
shows what took its place, the article needs that; if it shows that the feature went, the article must not \
offer it. The added lines may have changed since, so prefer what the code of today says.
- Leave alone: what is still true, what says less than the code, sample values and placeholders, other \
products, what the article says of earlier or later versions, and style.
- Comments in the code may be outdated. The code that runs counts, and tests show only what they use.
- Use only facts that the code or the article has, in the language, tone and form of the article. No links, \
addresses, pictures or HTML of your own. Never change front matter.
- Most articles need no edit. Name an article without one in `unchanged`, and say in one sentence what you \
compared.

{EDIT_FORMS}
{_REASON} `quote` is copied from one line of the code or of a past change (without its `+` or `-`): \
the line that contradicts the article. An edit without such a line is left out.

Answer with JSON alone: {{"edits": [{{"article": "A1", "action": "replace", "line": 12, "last": 0, "to": 0, \
"old": "…", "new": "…", "reason": "…", "quote": "…"}}], "unchanged": [{{"article": "A1", "reason": "…"}}]}}
""".strip()

_MAX_DISMISSED = 10
# The size of the suggested edits in a prompt, and of those that wait for review.
MAX_WAITING_BYTES = 6_000


def prompt_for_edits(
    reading: ChangeReading, excerpts: Sequence[ShownArticle], earlier: Sequence[ModelEdit] = ()
) -> Prompt:
    """The prompt about the shown text; `earlier` are the kept edits of an earlier answer."""
    parts = [*_change_parts(reading), *_known_edits(reading, excerpts)]
    if earlier:
        parts.append(("edits that you have made already; they are kept", "\n".join(map(_as_json, earlier))))
    return _prompt(reading, [*parts, *_article_parts(reading.contents, excerpts)])


def prompt_for_repair(
    reading: ChangeReading, excerpts: Sequence[ShownArticle], refused: Sequence[ArticleEdits]
) -> Prompt:
    """The prompt about articles with refused edits: it asks for all their edits again, or none."""
    edits = "\n".join(_as_json(edit) for group in refused for edit in group.edits)
    reasons = "\n".join(
        f"{_as_json(group.edits[fault.edit])}\nrefused: {fault.sentence}"
        for group in refused
        for fault in group.refused
    )
    parts = [
        *_change_parts(reading),
        *_article_parts(reading.contents, excerpts),
        ("your edits of these articles", edits),
        ("refused, so none of them was kept: give all edits of these articles anew, corrected", reasons),
    ]
    return _prompt(reading, parts)


def _change_parts(reading: ChangeReading) -> Iterator[tuple[str, str]]:
    """The change with the code around its hunks and the version that will contain it, as far as known."""
    if reading.is_code:
        yield "code", reading.diff
        return
    yield from change_parts(reading)
    if reading.code:
        yield "code around the hunks", reading.code
    if reading.change.context.next_version:
        label = "version that will contain the change: articles that name versions for such things name it"
        yield label, reading.change.context.next_version


def _article_parts(contents: Contents, excerpts: Sequence[ShownArticle]) -> Iterator[tuple[str, str]]:
    for row in excerpts:
        title = contents.articles[row.index].title
        yield f"article A{row.index + 1}", f"{title}\n\n{numbered_text(contents, row)}"


def _prompt(reading: ChangeReading, parts: Sequence[tuple[str, str]]) -> Prompt:
    system = CODE_PROMPT if reading.is_code else EDIT_PROMPT
    return Prompt(system, delimit(parts), reply_schema(ModelReply), limits.MAX_COMPLETION_TOKENS)


def _as_json(edit: ModelEdit) -> str:
    return json.dumps(edit.model_dump(), ensure_ascii=False)


def _known_edits(reading: ChangeReading, excerpts: Sequence[ShownArticle]) -> Iterator[tuple[str, str]]:
    """The edits of these articles that were dismissed, that rules suggest, and that wait for review."""
    names: dict[str | None, str] = {
        reading.contents.articles[row.index].id: f"A{row.index + 1}" for row in excerpts
    }
    names[None] = "new article"
    rows = [
        f"{names[row.article_id]}: {row.summary} ({row.reason})"
        for row in reading.dismissed
        if row.article_id in names
    ]
    if rows:
        yield "dismissed by a reviewer before; do not propose it again", "\n".join(rows[:_MAX_DISMISSED])
    doubtful = [row for row in reading.doubtful if row.article_id in names]
    suggested = [(row.article_id, _suggested_text(row, reading.contents)) for row in doubtful]
    if texts := _listed(suggested, names):
        yield "edits that rules suggest by what the change replaces: make those that are right", texts
    if texts := _listed(reading.waiting, names):
        yield "edits of other changes, which wait for review; do not propose again what they say", texts


def _suggested_text(draft: Proposal, contents: Contents) -> str:
    article = contents.articles[contents.index_by_id[draft.article_id or ""]]
    return changed_text(f"{article.title}\n{article.text}", f"{draft.title}\n{draft.text}")


def _listed(edits: Iterable[tuple[str | None, str]], names: Mapping[str | None, str]) -> str:
    """The changed lines of edits of the named articles, as many as fit into `MAX_WAITING_BYTES`."""
    texts, room = list[str](), MAX_WAITING_BYTES
    for article_id, lines in edits:
        if article_id in names:
            text = f"{names[article_id]}:\n{lines}"
            if (size := size_of([text])) <= room:
                room -= size
                texts.append(text)
    return "\n".join(texts)
