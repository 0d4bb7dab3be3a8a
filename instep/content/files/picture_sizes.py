"""The HTML of texts with the sizes of images, so that a page reserves space for images that still load."""

import re
from dataclasses import dataclass

from instep.content.files import queries
from instep.content.files.schemas import PictureSize
from instep.platform.core.code_colours import color_bounded
from instep.platform.core.config import settings
from instep.platform.core.markdown import render_bounded
from instep.platform.core.readable import value_of
from instep.platform.identity.schemas import Bot, Ctx

# An image as `core.readable` writes it: every attribute is quoted.
PICTURE = re.compile(r'<img((?: [a-z-]+="[^"]*")*)>')
# A file below the installation's URL: the slug of its bot, and its digest.
ADDRESS = re.compile(r"/files/([^/]+)/([0-9a-f]{64})\.[a-z0-9]{3,4}(?![^?#])")
WHOLE_NUMBER = re.compile(r"[1-9][0-9]{0,4}")
# The version of stored HTML. A job renders texts with an earlier version again, so that no page has to.
HTML_VERSION = 2


async def render_with_sizes(ctx: Ctx, text: str, *, has_lines: bool = False) -> str:
    """Like `render_bounded`; code is colored, and images among the bot's files get width and height.

    Other images, and files that do not exist yet, get none.
    """
    html = await color_bounded(await render_bounded(text, has_lines=has_lines))
    digests = {digest for tag in PICTURE.finditer(html) if (digest := digest_of(tag[1], ctx.bot))}
    if not digests:
        return html
    sizes = {size.sha256: size for size in await queries.list_sizes(ctx, digests)}
    return PICTURE.sub(SizeWriter(ctx.bot, sizes).write, html)


@dataclass(frozen=True, slots=True)
class SizeWriter:
    """Adds the sizes, which it knows by digest, to the tags of one bot's images."""

    bot: Bot
    sizes: dict[str, PictureSize]

    def write(self, tag: re.Match[str]) -> str:
        size = self.sizes.get(digest_of(tag[1], self.bot) or "")
        return f"<img{tag[1]}{missing_attributes(tag[1], size)}>" if size else tag[0]


def digest_of(attributes: str, bot: Bot) -> str | None:
    """The digest in the URL of an image, if it is among the files of the bot."""
    source = value_of(attributes, "src") or ""
    address = ADDRESS.match(source.removeprefix(settings().base_url))
    return address[2] if address and address[1] == bot.slug else None


def missing_attributes(attributes: str, size: PictureSize) -> str:
    """The attributes to add: both, or the height for an author's width; an author's height is kept."""
    width, height = value_of(attributes, "width"), value_of(attributes, "height")
    if height is not None:
        return ""
    if width is None:
        return f' width="{size.width}" height="{size.height}"'
    if WHOLE_NUMBER.fullmatch(width) is None:
        return ""
    return f' height="{max(1, round(int(width) * size.height / size.width))}"'
