"""The first question to a model: which sections to read for a change, if a reader could notice it at all."""

from collections.abc import Sequence

from pydantic import BaseModel

from instep.drafting.writer.llm.article_contents import Contents, SectionReference
from instep.drafting.writer.llm.section_search import found_sections
from instep.drafting.writer.shapes import Change
from instep.platform.llm.guard import DATA_RULE, delimit, list_schema, read_reply
from instep.platform.llm.protocol import Prompt

MAX_SECTIONS, MAX_SEARCHES = 12, 6
_MAX_OUTPUT_TOKENS = 2_000
_MAX_BODY_CHARACTERS = 6_000

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

_TEXT = {"type": "string"}
_SECTIONS = list_schema("sections", {"section": _TEXT, "reason": _TEXT})
CHOICE_SCHEMA = {
    **_SECTIONS,
    "properties": {**_SECTIONS["properties"], "searches": {"type": "array", "items": _TEXT}},
    "required": ["sections", "searches"],
}


class ChosenSection(BaseModel):
    section: str
    reason: str = ""


class SectionChoice(BaseModel):
    sections: list[ChosenSection]
    searches: list[str] = []


def prompt_for_choice(change: Change, diff: str, contents: Contents, max_bytes: int) -> Prompt:
    """The question, with a table of contents of at most `max_bytes` of UTF-8."""
    parts = [*change_parts(change, diff), ("table of contents", contents.table(max_bytes))]
    return Prompt(CHOICE_PROMPT, delimit(parts), CHOICE_SCHEMA, _MAX_OUTPUT_TOKENS)


def change_parts(change: Change, diff: str) -> list[tuple[str, str]]:
    """The parts of a prompt that say what the change is."""
    body = (change.body or "")[:_MAX_BODY_CHARACTERS]
    described = [("description of the change", body)] if body.strip() else []
    return [("title of the change", change.title), *described, ("diff", diff)]


def chosen_sections(reply: str, contents: Contents) -> list[SectionReference] | None:
    """The sections to read, best first, each once; empty for none, None for a reply of another form."""
    choice = read_reply(SectionChoice, reply)
    if choice is None:
        return None
    names = [row.section for row in choice.sections[:MAX_SECTIONS]]
    return section_references(names, choice.searches, contents)


def section_references(
    names: Sequence[str], searches: Sequence[str], contents: Contents
) -> list[SectionReference]:
    """The sections that are named, then those that are found, each once."""
    named = [reference for name in names if (reference := contents.find(name))]
    matches = [row for text in searches[:MAX_SEARCHES] for row in found_sections(contents, text)]
    return list(dict.fromkeys([*named, *matches]))
