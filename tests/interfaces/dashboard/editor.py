"""Uses the editor as a browser without scripts does."""

import re
from html.parser import HTMLParser

from tests.interfaces.dashboard.conftest import Desk
from tests.support.http import Response

LINE_END = re.compile(r"\r\n|\r|\n")


class FormReader(HTMLParser):
    """Reads the fields of the form `editor` as browsers do (WHATWG HTML, section 13.2)."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.fields: dict[str, str] = {}
        self.is_inside = False
        self.open_field: str | None = None
        self.open_select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.is_inside = values.get("id") == "editor"
        if not self.is_inside:
            return
        if tag == "input" and "name" in values:
            self.fields[values["name"]] = values.get("value", "")
        if tag == "textarea" and "name" in values:
            self.open_field = values["name"]
            self.fields[self.open_field] = ""
        if tag == "select":
            self.open_select = values["name"]
        if tag == "option" and self.open_select and "selected" in values:
            self.fields[self.open_select] = values["value"]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.is_inside = False
        if tag == "textarea":
            self.open_field = None
        if tag == "select":
            self.open_select = None

    def handle_data(self, data: str) -> None:
        if self.open_field is not None:
            self.fields[self.open_field] += data


def fields_of(page: Response) -> dict[str, str]:
    """The fields that a browser submits: line ends are CRLF, and a text area drops its first newline."""
    reader = FormReader()
    # Decoding the body as text must not change its line ends.
    reader.feed(page.content.decode())
    texts = {name: LINE_END.sub("\n", value) for name, value in reader.fields.items()}
    areas = re.findall(r'<textarea[^>]* name="([^"]+)"', page.text)
    return {
        name: LINE_END.sub("\r\n", value.removeprefix("\n") if name in areas else value)
        for name, value in texts.items()
    }


async def submit(desk: Desk, path: str, act: str = "save", **changes: str) -> Response:
    """Open the editor, change fields and press a button."""
    page = await desk.get(path)
    assert page.status_code == 200, page.text
    return await desk.post(path, {**fields_of(page), **changes, "act": act})
