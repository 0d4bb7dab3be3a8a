"""Every button that the documentation tells people to press exists in the product."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRESS = re.compile(r"\b[Pp]ress \*{0,2}([A-Z][\w ]*[\w])(?=\*{2}|[,.:;]| and | to | with )")
# Keys of the keyboard.
KEYS = {"Ctrl", "Enter", "Esc"}


def test_every_button_that_the_documentation_names_exists() -> None:
    pages = [*ROOT.glob("docs/help/*/*.md"), *ROOT.glob("docs/*.md")]
    named = {label: page.name for page in pages for label in PRESS.findall(page.read_text())}
    templates = ROOT.glob("instep/**/templates/**/*.html")
    sources = "".join(file.read_text() for file in (*templates, ROOT / "frontend/src/widget/texts/en.json"))
    # Only complete labels count: "Read it as text" does not contain a button "Read it".
    shown = set(re.findall(r"""["'>]([A-Z][\w ]*\w)(?=["'<…])""", sources))

    assert len(named) > 10
    missing = {
        label: page for label, page in named.items() if label.split()[0] not in KEYS and label not in shown
    }
    assert missing == {}
