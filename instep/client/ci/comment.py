"""Writes drafts and places into one comment on a pull request, which later runs update."""

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from instep.client.ci.escaping import inert
from instep.client.ci.hosts import HostRefuses, find_thread
from instep.client.ci.printing import say
from instep.client.ci.report import TYPES, Run, dashboard_page, outcome_of, state_of, where
from instep.client.ci.shapes import Bot, Draft, Place
from instep.platform.core import limits
from instep.platform.text.characters import shorten


def write_comment(run: Run, bot: Bot, environ: Mapping[str, str]) -> None:
    """Write or update the comment; a failure is printed, and does not fail the job.

    Without drafts and places an earlier comment is updated, but no new one is written.
    """
    try:
        thread = find_thread(environ)
        # Invisible to readers; it identifies this bot's comment.
        marker = f"<!-- instep {quote(bot.id, safe='')} -->"
        body = f"{marker}\n{comment_text(run, bot)}"
        comment = thread.find_comment(marker)
        if comment is not None and comment.body.rstrip() != body.rstrip():
            thread.update(comment, body)
        elif comment is None and (run.drafts or run.places):
            thread.create(body)
    except HostRefuses as refusal:
        say(f"The comment was not written: {refusal.message}")


def comment_text(run: Run, bot: Bot) -> str:
    """The comment in Markdown; text by others is escaped and mentions no one."""
    if run.task is None:
        return f"### Instep: no article needs an edit\n\n{inert(run.no_task_reason)}\n"
    text = f"### Instep: {inert(outcome_of(run, run.task))}\n"
    if run.task.summary:
        text += f"\n{inert(run.task.summary)}\n"
    end = ending(run)
    parts = [draft_text(run.url, bot, draft) for draft in run.drafts]
    parts += [place_text(run.url, bot, place) for place in run.places]
    omitted = run.unread_count
    for number, part in enumerate(parts):
        is_full = len(text) + len(part) + 2 + len(end) > limits.MAX_COMMENT_CHARACTERS
        if is_full or number == limits.MAX_COMMENTED_DRAFTS:
            omitted += len(parts) - number
            break
        text += f"\n{part}\n"
    return text + (f"\nAnd {omitted} more.\n" if omitted else "") + end


def ending(run: Run) -> str:
    count = sum(article.verdict == "no_edit" for article in run.task.reviewed) if run.task else 0
    articles = "1 article" if count == 1 else f"{count} articles"
    return f"\nReviewed, no change: {articles}.\n" if count else ""


def draft_text(url: str, bot: Bot, draft: Draft) -> str:
    """The draft's title with a link to its review, and the text that readers would see."""
    address = dashboard_page(url, bot, "review", draft.id)
    kind = TYPES.get(draft.type, draft.type)
    state = state_of(draft.status, draft.approved_at)
    return "\n".join([f"**[{inert(draft.title)}]({address})** ({inert(kind + state)})", "", *quoted(draft)])


def place_text(url: str, bot: Bot, place: Place) -> str:
    """A place where an article needs text, with its link and the reason."""
    address = dashboard_page(url, bot, "review", place.id)
    return f"**[{inert(where(place))}]({address})** (needs writing)\n\n{inert(place.reason)}"


def quoted(draft: Draft) -> Iterator[str]:
    """The lines that the draft adds, or the first ones of a new article, as a quotation."""
    characters = 0
    lines = [line for line in new_lines(draft) if line.strip()]
    for number, line in enumerate(lines):
        characters += len(line)
        if number == limits.MAX_COMMENT_EXCERPT_LINES or characters > limits.MAX_COMMENT_EXCERPT_CHARACTERS:
            yield "> …"
            return
        # Two spaces at the end of a line break it.
        yield f"> {inert(shorten(plain(line), limits.MAX_REPORTED_LINE_CHARACTERS))}  "


def new_lines(draft: Draft) -> list[str]:
    if draft.diff is None:
        return draft.content_markdown.split("\n")
    added = [line for line in draft.diff.split("\n") if line.startswith("+") and not line.startswith("+++ ")]
    return [line[1:] for line in added]


def plain(line: str) -> str:
    """A line of Markdown without marks of headings and emphasis, which would be shown literally."""
    return line.strip().lstrip("#").replace("**", "").replace("`", "").strip()
