"""Checks of the text of an article by itself."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from instep.content.parts.expansion import references_in
from instep.platform.core import limits
from instep.platform.text.characters import shorten
from instep.platform.text.terms import UNSEGMENTED_CHARACTER
from instep.visitors.insights.health.problems import Check, ProblemLocation
from instep.visitors.insights.health.structure import Structure

MAX_QUOTE_CHARACTERS = 80
SPACE = re.compile(r"\s+")
LEFTOVER = re.compile(r"\b(?:TODO|TBD|FIXME|LOREM IPSUM|[Ll]orem ipsum)\b")
EDGES = re.compile(r"^[\W_]+|[\W_]+$")
# Link texts that do not say where they lead, in the languages that most help centers are written in.
VAGUE_LINK_TEXTS = {
    *("here", "click here", "click", "this", "this link", "link", "this page", "this article", "read more"),
    *("more", "learn more", "more info", "more information", "see here", "see this", "details", "go", "url"),
    *("hier", "hier klicken", "klick hier", "klicken sie hier", "mehr", "mehr erfahren", "weiterlesen"),
    *("ici", "cliquez ici", "cliquer ici", "en savoir plus", "lire la suite", "ce lien", "plus"),
    *("aquí", "haz clic aquí", "haga clic aquí", "clic aquí", "más", "más información", "este enlace"),
    *("aqui", "clique aqui", "saiba mais", "leia mais", "mais", "qui", "clicca qui", "leggi di più"),
    *("klik hier", "lees meer", "meer", "här", "klicka här", "läs mer", "her", "klik her", "klikk her"),
    *("les mer", "læs mere", "tässä", "tästä", "lue lisää", "tutaj", "kliknij tutaj", "więcej", "zde"),
    *("здесь", "тут", "нажмите здесь", "подробнее", "buraya", "burada", "こちら", "ここ", "ここをクリック"),
    *("这里", "点击这里", "此处", "這裡", "點擊這裡", "여기"),
}


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A text to be checked; `title` is None for a text that does not belong to an article yet."""

    title: str | None
    content: str
    structure: Structure


def lacks_headings(text: CheckedText) -> bool:
    prose = sum(text_length(words) for _, words in text.structure.prose)
    return not text.structure.headings and prose > limits.MAX_CHARACTERS_WITHOUT_HEADINGS


def find_heading_jumps(text: CheckedText) -> Iterator[ProblemLocation]:
    # The page shows the title as a heading of the first level.
    levels = [(1, 0), *((heading.level, heading.line) for heading in text.structure.headings)]
    for (before, _), (level, line) in pairwise(levels):
        if level > before + 1:
            yield ProblemLocation(line, f"{level} heading follows a level-{before} heading")


def find_several_h1(text: CheckedText) -> Iterator[ProblemLocation]:
    first_levels = [heading for heading in text.structure.headings if heading.level == 1]
    for heading in first_levels[1:]:
        yield ProblemLocation(heading.line)


def find_repeated_title(text: CheckedText) -> Iterable[ProblemLocation]:
    if text.title is None or not text.structure.headings:
        return []
    first = text.structure.headings[0]
    repeats = first.level == 1 and normalized(first.text) == normalized(text.title)
    return [ProblemLocation(first.line)] if repeats else []


def find_vague_links(text: CheckedText) -> Iterator[ProblemLocation]:
    for link in text.structure.links:
        if EDGES.sub("", normalized(link.text)) in VAGUE_LINK_TEXTS:
            yield ProblemLocation(link.line, one_line_excerpt(link.text))


def find_empty_links(text: CheckedText) -> Iterator[ProblemLocation]:
    for link in text.structure.links:
        if not link.href:
            yield ProblemLocation(link.line, f"“{one_line_excerpt(link.text)}” has no URL: add one")
        # A linked image without alt text is reported as an image problem, so it is not reported here too.
        elif not link.text.strip() and not link.has_image:
            yield ProblemLocation(
                link.line, f"to “{one_line_excerpt(link.href)}” has no text: say where it leads"
            )


def find_leftovers(text: CheckedText) -> Iterator[ProblemLocation]:
    for line, words in text.structure.prose:
        for match in LEFTOVER.finditer(words):
            yield ProblemLocation(line + words.count("\n", 0, match.start()), match[0])


def text_length(text: str) -> int:
    """Characters without blanks; one of a script without spaces, such as Chinese, counts as three."""
    characters = SPACE.sub("", text)
    return len(characters) + 2 * len(UNSEGMENTED_CHARACTER.findall(characters))


def normalized(text: str) -> str:
    return SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


def one_line_excerpt(text: str) -> str:
    """Customers' text as our messages quote it: on one line, with at most 80 characters."""
    return shorten(SPACE.sub(" ", text).strip(), MAX_QUOTE_CHARACTERS)


TEXT_CHECKS: tuple[Check[CheckedText], ...] = (
    Check(
        "empty_text",
        "error",
        "The article has no text: write it, or remove the article.",
        lambda text: not text.content.strip(),
    ),
    Check(
        "short_text",
        "warning",
        "The text is very short: expand it, or merge it into another article.",
        lambda text: (
            0 < text_length(text.content) < limits.SHORT_TEXT_CHARACTERS and not references_in(text.content)
        ),
    ),
    Check(
        "no_headings",
        "warning",
        "The text is long and has no headings: add some so that readers can find their way.",
        lacks_headings,
    ),
    Check(
        "heading_jump",
        "warning",
        "A level-{what}: don't skip the level in between.",
        find_heading_jumps,
    ),
    Check(
        "several_h1",
        "warning",
        "There is another level-1 heading: use `##`; the title is the page's only level-1 heading.",
        find_several_h1,
    ),
    Check(
        "repeated_title",
        "warning",
        "This heading repeats the title, which the page shows above the text: remove it.",
        find_repeated_title,
    ),
    Check(
        "image_without_alt",
        "warning",
        "The image has no alternative text: describe it for readers who can't see it.",
        lambda text: (ProblemLocation(image.line) for image in text.structure.images if not image.alt),
    ),
    Check(
        "vague_link",
        "warning",
        "The link text “{what}” does not say where the link leads: name the page.",
        find_vague_links,
    ),
    Check("empty_link", "error", "The link {what}.", find_empty_links),
    Check("leftover", "warning", "“{what}” is a leftover placeholder: replace or remove it.", find_leftovers),
    Check(
        "unclosed_code",
        "error",
        "This code block is never closed, so everything after it is shown as code: add the closing fence.",
        lambda text: map(ProblemLocation, text.structure.open_fences),
    ),
    Check(
        "uneven_table",
        "warning",
        "This row has more or fewer cells than the table's header: extra cells are not shown.",
        lambda text: map(ProblemLocation, text.structure.uneven_rows),
    ),
)
