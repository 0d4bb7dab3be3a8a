"""The system prompts, and the sentences in which reviewers read what the model did."""

from collections import Counter
from collections.abc import Sequence

from instep.llm.guard import DATA_RULE

EDIT_PROMPT = f"""
You keep the articles of a help center in step with a product's code. You get a code change and the articles \
that it may concern. Propose the smallest edits that make each article true and complete again after it. \
Numbered places tell where text is missing, with the lines of code that it is to be about.

{DATA_RULE}

Rules:
- `article` is the id in the label of the article. `search` is a text copied from this article, character by \
character, that stands in it exactly once: a whole sentence, list item, table row or line of code. `replace` \
is what is to stand there instead.
- To add a sentence, item, row or section, search for the text next to it and repeat it in `replace`.
- `texts` has the text for a place, under its number: a short paragraph, or items for the list, at the end \
of the section, without a heading.
- Write what readers of the article can see or do. The title of the change is written for colleagues: never \
repeat it.
- Write only names, flags, numbers and values that the diff or the article has. Guess nothing: leave a place \
out if the diff does not tell what to write there.
- Bring in no links, addresses, pictures, HTML or front matter. Keep links that are there.
- Keep the language, the tone and the form of the article. Leave alone what is still true.
- No edit is the right answer for an article that the change does not make wrong or incomplete.

Answer with JSON alone: {{"edits": [{{"article": "…", "search": "…", "replace": "…"}}], \
"texts": [{{"place": 1, "text": "…"}}]}}
""".strip()

CRITIC_PROMPT = f"""
You check proposed edits of a help center against the diff of the code change that they are made for. Find, \
for each numbered edit, the lines of the diff that prove what it says.

{DATA_RULE}

Rules:
- `quote` is copied from the diff, character by character: one line, or a few lines in a row, of which at \
least one is added or removed.
- `quote` is empty if the edit says anything that the diff does not prove: another effect, another default, \
another cause, a promise, an advice.
- Be strict. It does not matter whether an edit sounds likely.

Answer with JSON alone: {{"quotes": [{{"edit": 1, "quote": "…"}}]}}
""".strip()

ARTICLE_PROMPT = f"""
You write an article of a product's help center from numbered sources. You get its title, what it is to say, \
and the sources.

{DATA_RULE}

Rules:
- The article is Markdown in blocks: a heading (`## …`), a paragraph, a list, a table, some code.
- `sources` are the numbers of the sources that say what the block says; 0 is the request itself. A block \
without a source is left out.
- Write only what the sources say, with their names, flags, numbers and values. Guess nothing.
- Bring in no links, addresses, pictures or HTML. Do not repeat the title.
- Address the reader of a help center: short sentences, steps as a numbered list. Use the language of the \
request.

Answer with JSON alone: {{"blocks": [{{"text": "…", "sources": [0, 1]}}]}}
""".strip()


# The fault of an edit for which the critic finds no line of the diff.
NOT_IN_DIFF = "no line of the diff proves it"


def reason_with(reason: str, model: str, count: int) -> str:
    changed = "one passage" if count == 1 else f"{count} passages"
    sentence = (
        f"The model {model} rewrote {changed} in view of this change; what is certain stayed as it was."
    )
    return f"{reason} {sentence}".strip()


def fault_warnings(faults: Sequence[str], part: str = "edit") -> tuple[str, ...]:
    """One warning for each kind of fault."""
    return tuple(
        f"{'An' if part == 'edit' else 'A'} {part} of the model was left out: {fault}."
        if count == 1
        else f"{count} {part}s of the model were left out: {fault}."
        for fault, count in Counter(faults).items()
    )


def article_reason(reason: str, model: str) -> str:
    return f"{reason} The model {model} wrote it out; each part was checked against its sources.".strip()


def summary_with(summary: str, model: str, edited: int, left_out: int) -> str:
    articles = {0: "no article", 1: "one article"}.get(edited, f"{edited} articles")
    sentences = [f"The model {model} edited {articles}."]
    if left_out:
        sentences.append(
            f"{left_out} of its edits {'was' if left_out == 1 else 'were'} left out by the checks."
        )
    return " ".join([summary, *sentences]).strip()


def summary_without(summary: str, model: str, refusal: str) -> str:
    return f"{summary} The model {model} was left out. {refusal}".strip()
