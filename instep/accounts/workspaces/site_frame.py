"""The frame around the pages of a help center: a logo, an icon, links in header and footer, legal lines."""

import re
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest

# A label, and after the last space an address.
LINE = re.compile(r"(.*\S)\s+(\S+)")


def link_address(address: str) -> str:
    """An allowed address for a link on a public page: a URL, a path of this site, or an email address."""
    return _address(address, ("https", "http", "mailto"))


def picture_address(address: str) -> str:
    """The address of an image: the pages load none without TLS, except from this site."""
    return _address(address, ("https",))


def _address(address: str, schemes: Sequence[str]) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    is_path = not parts.scheme and not parts.netloc and address.startswith("/")
    is_whole = parts.scheme in schemes and bool(parts.netloc or (parts.scheme == "mailto" and parts.path))
    if not address.isprintable() or " " in address or not (is_path or is_whole):
        begin = ", ".join(f"`{scheme}:`" for scheme in schemes)
        raise ValueError(f"“{address}” is not an address: it must begin with {begin} or `/`")
    return address


PictureAddress = Annotated[
    str, Field(max_length=limits.MAX_FRAME_URL_CHARACTERS), AfterValidator(picture_address)
]


class FrameLink(BaseModel):
    """A link with its text."""

    model_config = ConfigDict(frozen=True)

    label: str = Field(min_length=1, max_length=limits.MAX_FRAME_LABEL_CHARACTERS)
    url: Annotated[str, Field(max_length=limits.MAX_FRAME_URL_CHARACTERS), AfterValidator(link_address)]

    @property
    def line(self) -> str:
        return f"{self.label} {self.url}"


class SiteFrame(BaseModel):
    """The frame that a company sets around its help center; everything is optional."""

    model_config = ConfigDict(frozen=True)

    logo: PictureAddress | None = None
    # The logo for the dark color scheme; without one, the logo has a light background there.
    logo_dark: PictureAddress | None = None
    # The image in the browser's tab.
    icon: PictureAddress | None = None
    header: tuple[FrameLink, ...] = Field((), max_length=limits.MAX_HEADER_LINKS)
    footer: tuple[FrameLink, ...] = Field((), max_length=limits.MAX_FOOTER_LINKS)
    legal: str = Field("", max_length=limits.MAX_LEGAL_CHARACTERS)
    # Whether the page of an article says when its text was verified.
    shows_checks: bool = False
    # True if an article without a translation is shown in the default language on pages in other languages.
    shows_untranslated: bool = False
    # True if readers can follow pages by email, which also needs an SMTP server.
    follow_by_email: bool = True


def links_of(text: str) -> list[dict[str, str]]:
    """A link for each non-empty line: its text, then its address; raises `InvalidRequest`."""
    links = []
    for line in filter(None, map(str.strip, text.splitlines())):
        match = LINE.fullmatch(line)
        if match is None:
            raise InvalidRequest(
                f"“{line}” needs a text and an address, such as “Status https://status.example”."
            )
        links.append({"label": match[1], "url": match[2]})
    return links
