"""Find and replace in all articles and parts: each change of an article is a draft; people change a part."""

import re
from dataclasses import dataclass
from itertools import islice

from instep.content.parts.actions import list_parts_with_words
from instep.content.parts.schemas import SharedPart
from instep.drafting.drafts.actions import find_proposed, propose_edit
from instep.drafting.drafts.schemas import DraftCreate
from instep.platform.core import limits
from instep.platform.core.errors import InvalidValue
from instep.platform.core.like_patterns import escape_like
from instep.platform.identity.schemas import Ctx
from instep.platform.web.errors import body_from

# Lines shown of each text, and the characters around the first match of a line.
MAX_SHOWN_LINES = 3
MAX_CONTEXT_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class WordReplacement:
    """The words to find in titles and texts, and the words in their place."""

    sought: str
    substitute: str
    is_case_sensitive: bool = True
    is_whole_words: bool = True

    @property
    def pattern(self) -> re.Pattern[str]:
        sought = re.escape(self.sought)
        whole = rf"(?<!\w){sought}(?!\w)" if self.is_whole_words else sought
        return re.compile(whole, 0 if self.is_case_sensitive else re.IGNORECASE)

    def apply(self, text: str) -> tuple[str, int]:
        """The text after the replacement, and the number of matches."""
        return self.pattern.subn(lambda match: self.substitute, text)


@dataclass(frozen=True, slots=True)
class FoundArticle:
    """An article with the sought words, and the number of all such articles."""

    id: str
    title: str
    locale: str
    content: str
    matches: int


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A line that a replacement changes: its matches, and the words before, between and after them."""

    around: list[str]
    matches: list[str]


@dataclass(frozen=True, slots=True)
class ReplacedText:
    """An article's text after the replacement, with the first lines that change."""

    article: FoundArticle
    title: str
    content: str
    matches: int
    lines: list[ChangedLine]


@dataclass(frozen=True, slots=True)
class ReplacedPart:
    """A part's or variable's text after the replacement, with the first lines that change."""

    part: SharedPart
    text: str
    matches: int
    lines: list[ChangedLine]


@dataclass(frozen=True, slots=True)
class ReplacedTexts:
    """The texts that change; `is_cut` means that there are more articles than one replacement changes.

    `has_more_parts` means that there are more parts than a page shows.
    """

    texts: list[ReplacedText]
    is_cut: bool
    parts: list[ReplacedPart]
    has_more_parts: bool

    @property
    def matches(self) -> int:
        return sum(text.matches for text in self.texts)


async def find_replacements(ctx: Ctx, replacement: WordReplacement) -> ReplacedTexts:
    """The texts that a replacement changes, without those that already wait for review as exactly this edit.

    Raises `InvalidValue` if nothing is sought, or if the words are the same.
    """
    refuse_invalid(replacement)
    articles = await list_found(ctx, replacement.sought)
    texts = [replaced(article, replacement) for article in articles]
    found_parts = await list_parts_with_words(ctx, replacement.sought)
    changed_parts = (row for part in found_parts if (row := replaced_part(part, replacement)).matches)
    parts = list(islice(changed_parts, limits.MAX_REPLACED_PARTS + 1))
    waiting = await find_proposed(ctx, {text.article.id: text.content for text in texts})
    return ReplacedTexts(
        [text for text in texts if text.matches and text.article.id not in waiting],
        is_cut=bool(articles) and articles[0].matches > len(articles),
        parts=parts[: limits.MAX_REPLACED_PARTS],
        has_more_parts=len(parts) > limits.MAX_REPLACED_PARTS,
    )


async def propose_replacements(ctx: Ctx, replacement: WordReplacement) -> list[str]:
    """Propose an edit of each article that the replacement changes; the ids of the drafts."""
    reason = f"Replace “{replacement.sought}” with “{replacement.substitute}”."
    draft_ids = []
    for text in (await find_replacements(ctx, replacement)).texts:
        fields = {"title": text.title, "contentMarkdown": text.content, "reason": reason}
        draft_ids.append((await propose_edit(ctx, text.article.id, body_from(DraftCreate, fields))).id)
    return draft_ids


def refuse_invalid(replacement: WordReplacement) -> None:
    words = {"find": replacement.sought, "replacement": replacement.substitute}
    for name, value in words.items():
        if len(value) > limits.MAX_SOUGHT_CHARACTERS:
            raise InvalidValue(name, f"use at most {limits.MAX_SOUGHT_CHARACTERS} characters")
    if not replacement.sought.strip():
        raise InvalidValue("find", "enter the words to find")
    if replacement.sought == replacement.substitute:
        raise InvalidValue("replacement", "it must differ from the words to find")


async def list_found(ctx: Ctx, sought: str) -> list[FoundArticle]:
    """The first articles with the words in any case, as many as one replacement changes."""
    return await ctx.all(
        FoundArticle,
        """
        select id, title, locale, content, matches from (
            select a.id, a.title, a.locale, a.content_markdown as content, count(*) over () as matches,
                sum(length(a.content_markdown)) over (order by a.id) - length(a.content_markdown) as before
            from articles a
            where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
              and a.status in ('published', 'draft')
              and (a.title ilike %(pattern)s or a.content_markdown ilike %(pattern)s)) found
        where before < %(characters)s
        order by id limit %(most)s
        """,
        pattern=f"%{escape_like(sought)}%",
        characters=limits.MAX_REPLACED_CHARACTERS,
        most=limits.MAX_REPLACED_ARTICLES,
    )


def replaced(article: FoundArticle, replacement: WordReplacement) -> ReplacedText:
    title, in_title = replacement.apply(article.title)
    content, in_content = replacement.apply(article.content)
    lines = [line for text in (article.title, article.content) for line in changed_lines(text, replacement)]
    return ReplacedText(article, title, content, in_title + in_content, lines[:MAX_SHOWN_LINES])


def replaced_part(part: SharedPart, replacement: WordReplacement) -> ReplacedPart:
    text, matches = replacement.apply(part.text)
    return ReplacedPart(part, text, matches, changed_lines(part.text, replacement))


def changed_lines(text: str, replacement: WordReplacement) -> list[ChangedLine]:
    """The first lines with the words, each without what is far from its first match."""
    lines, start, end = list[ChangedLine](), 0, 0
    for match in replacement.pattern.finditer(text):
        if match.start() >= end:
            if len(lines) == MAX_SHOWN_LINES:
                break
            start, end = bounds_around(text, match, start)
            lines.append(ChangedLine([""], []))
        lines[-1].around[-1:] = [text[start : match.start()], text[match.end() : end]]
        lines[-1].matches.append(match[0])
        start = match.end()
    return lines


def bounds_around(text: str, match: re.Match[str], first: int) -> tuple[int, int]:
    """The start and the end of the words near a match in its line; none are before `first`."""
    start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - MAX_CONTEXT_CHARACTERS, first)
    end_of_line = text.find("\n", match.end())
    end = min(end_of_line if end_of_line >= 0 else len(text), match.end() + MAX_CONTEXT_CHARACTERS)
    return match.start() - len(text[start : match.start()].lstrip()), end
