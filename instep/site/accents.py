"""The style sheet of a bot's accent colour: its address names the colours, so its content never changes."""

import re

from starlette.requests import Request
from starlette.responses import Response

from instep.core.errors import NotFound
from instep.web.assets import IMMUTABLE
from instep.web.public import public

FILE_NAME = re.compile(r"([0-9a-f]{6})-([0-9a-f]{6})\.css")
# The accent takes the place of the product's blue in `tokens.css` of `frontend`. The grounds of notes get its
# hue; they are a little further from it than `--tint` is, so that it is as readable on them.
STYLE = """\
:root {{
  --blue: light-dark(#{light}, #{dark});
  --blue-bg: light-dark(oklch(from #{light} 0.97 min(c, 0.02) h), oklch(from #{dark} 0.25 min(c, 0.04) h));
}}
"""


def accent_path(light: str, dark: str) -> str:
    """The address of the style sheet for these two colours, each `#rrggbb`."""
    return f"/static/accents/{light.removeprefix('#')}-{dark.removeprefix('#')}.css"


@public
async def show_accent(request: Request) -> Response:
    """The style sheet for the colours in its address, whichever bot has them."""
    name = FILE_NAME.fullmatch(request.path_params["name"])
    if name is None:
        raise NotFound
    style = STYLE.format(light=name[1], dark=name[2])
    return Response(style, headers={"Cache-Control": IMMUTABLE}, media_type="text/css")
