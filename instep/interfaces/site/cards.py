"""The image that chats and social networks show next to a link: title, collection and help center.

It is drawn with the fonts of the pages, and with the operator's fonts for other scripts. If no font has the
characters of a title, there is no image, rather than one with boxes in it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2s
from io import BytesIO
from itertools import groupby
from pathlib import Path

import structlog
from PIL import Image, ImageDraw, ImageFont, features

from instep.platform.core.colours import PRODUCT_BLUE
from instep.platform.core.locales import direction
from instep.platform.web.assets import BUILT, manifest

log = structlog.get_logger()

WIDTH, HEIGHT = 1200, 630
MARGIN, BAND = 80, 20
INK, QUIET, PAPER = "#16202a", "#4b5a67", "#ffffff"
# Title sizes in pixels: the largest at which a title takes at most this many lines.
TITLE_SIZES, TITLE_LINES = (84, 72, 60), 3
NAME_SIZE, COLLECTION_SIZE = 40, 34
LINE_HEIGHT = 1.18
BOLD, REGULAR = 700, 500
# A new look needs new URLs, because cards are cached forever.
LOOK = "1"
OWN_FONTS = (
    "atkinson-hyperlegible-next-latin-wght-normal.woff2",
    "atkinson-hyperlegible-next-latin-ext-wght-normal.woff2",
)
# A character that no font has, to find the glyph for missing characters.
MISSING = "\uffff"
ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Card:
    """The content of a card; `fonts` are files in addition to the product's own."""

    title: str
    collection: str
    name: str
    locale: str
    accent: str | None
    fonts: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A digest that changes with the text and the look."""
        parts = (LOOK, self.title, self.collection, self.name, self.locale, self.accent or "", *self.fonts)
        return blake2s("\0".join(parts).encode("utf-8", "replace"), digest_size=10).hexdigest()

    @property
    def is_rtl(self) -> bool:
        return direction(self.locale) == "rtl"

    @property
    def is_drawable(self) -> bool:
        """True if the fonts have every letter of the title."""
        return can_write(self.title, self.fonts, is_rtl=self.is_rtl)


@dataclass(frozen=True, slots=True)
class Script:
    """The fonts of one size and weight."""

    fonts: tuple[ImageFont.FreeTypeFont, ...]
    is_rtl: bool

    def runs(self, text: str) -> Iterator[tuple[ImageFont.FreeTypeFont, str]]:
        """The pieces of a line, each with a font that has its letters."""
        whole = next((font for font in self.fonts if all(has_glyph(font, sign) for sign in text)), None)
        if whole is not None:
            yield whole, text
            return
        for font, signs in groupby(text, self.font_of):
            yield font, "".join(signs)

    def font_of(self, sign: str) -> ImageFont.FreeTypeFont:
        return next((font for font in self.fonts if has_glyph(font, sign)), self.fonts[0])

    def width(self, text: str) -> float:
        return sum(font.getlength(piece, direction=self.direction) for font, piece in self.runs(text))

    @property
    def direction(self) -> str | None:
        return "rtl" if self.is_rtl else None

    def write(self, draw: ImageDraw.ImageDraw, top: float, text: str, colour: str) -> None:
        """Write a line from the side where lines of the language begin."""
        left = WIDTH - MARGIN - self.width(text) if self.is_rtl else float(MARGIN)
        for font, piece in self.runs(text):
            draw.text((left, top), piece, font=font, fill=colour, anchor="ls", direction=self.direction)
            left += font.getlength(piece, direction=self.direction)


def draw_card(card: Card) -> bytes:
    """The card as a PNG."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    accent = card.accent or PRODUCT_BLUE
    side = WIDTH - BAND if card.is_rtl else 0
    draw.rectangle((side, 0, side + BAND, HEIGHT), fill=accent)
    name = script(card, NAME_SIZE, BOLD)
    if can_write(card.name, card.fonts, is_rtl=card.is_rtl):
        name.write(draw, MARGIN + NAME_SIZE, fitted(name, card.name), QUIET)
    size, lines = title_lines(card)
    top = HEIGHT - MARGIN - (len(lines) - 1) * size * LINE_HEIGHT
    if card.collection and can_write(card.collection, card.fonts, is_rtl=card.is_rtl):
        small = script(card, COLLECTION_SIZE, BOLD)
        small.write(draw, top - size - COLLECTION_SIZE / 2, fitted(small, card.collection), accent)
    for number, line in enumerate(lines):
        script(card, size, BOLD).write(draw, top + number * size * LINE_HEIGHT, line, INK)
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def title_lines(card: Card) -> tuple[int, list[str]]:
    """The size of the title, and its lines; the last one is cut if even the smallest size is too large."""
    for size in TITLE_SIZES:
        lines = wrapped(script(card, size, BOLD), card.title)
        if len(lines) <= TITLE_LINES:
            break
    else:
        rest = "".join(lines[TITLE_LINES - 1 :])
        lines = [*lines[: TITLE_LINES - 1], fitted(script(card, size, BOLD), rest)]
    return size, [line.strip() for line in lines]


def wrapped(letters: Script, text: str) -> list[str]:
    """The lines of a text, broken between words, or within one that is wider than the card."""
    lines = [""]
    for word in pieces(letters, text):
        if letters.width((lines[-1] + word).rstrip()) <= WIDTH - 2 * MARGIN:
            lines[-1] += word
        else:
            lines.append(word)
    return [line for line in lines if line.strip()]


def pieces(letters: Script, text: str) -> Iterator[str]:
    for word in text.split():
        if letters.width(word) <= WIDTH - 2 * MARGIN:
            yield f"{word} "
        else:
            yield from word
            yield " "


def fitted(letters: Script, text: str) -> str:
    """The text, cut to one line."""
    text = text.strip()
    if letters.width(text) <= WIDTH - 2 * MARGIN:
        return text
    while text and letters.width(text + ELLIPSIS) > WIDTH - 2 * MARGIN:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def can_write(text: str, files: Sequence[str], *, is_rtl: bool) -> bool:
    """True if fonts have all letters. Right-to-left text needs a single font, which shapes it."""
    fonts = open_fonts(tuple(files), NAME_SIZE, REGULAR)
    signs = {sign for sign in text if not sign.isspace()}
    if is_rtl:
        return bool(features.check("raqm")) and any(all(has_glyph(font, s) for s in signs) for font in fonts)
    return all(any(has_glyph(font, sign) for font in fonts) for sign in signs)


def script(card: Card, size: int, weight: int) -> Script:
    return Script(open_fonts(card.fonts, size, weight), card.is_rtl)


@lru_cache(32)
def open_fonts(files: tuple[str, ...], size: int, weight: int) -> tuple[ImageFont.FreeTypeFont, ...]:
    fonts = [open_font(BUILT / manifest()[name], size, weight) for name in OWN_FONTS]
    for file in files:
        try:
            fonts.append(open_font(Path(file), size, weight))
        except OSError:
            log.warning("a font of INSTEP_CARD_FONTS can't be read", file=file)
    return tuple(fonts)


def open_font(path: Path, size: int, weight: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(path, size)
    try:
        font.set_variation_by_axes([weight])
    except OSError:
        # A font with a single weight.
        return ImageFont.truetype(path, size)
    return font


@lru_cache(20_000)
def has_glyph(font: ImageFont.FreeTypeFont, sign: str) -> bool:
    return sign.isspace() or bytes(font.getmask(sign)) != bytes(font.getmask(MISSING))
