"""The help centers over which the questions of newcomers are asked: our own, and products of real data.

The texts of the products are not in the repository; they are read as an import reads them.
"""

import tempfile
from pathlib import Path
from typing import Any

from eval.docsync_set import scorer_of
from eval.sections.own_questions import read_articles
from instep.transfer.imports.source.source_reading import Source, read_now

OWN = "instep"
# The set has the articles alone: the file by which an import knows how their site is built, and its text.
_DOCUSAURUS = 'module.exports = {presets: [["classic", {docs: {}}]]};'
CONFIGURATIONS = {
    "flagsmith": ("docs/docusaurus.config.js", _DOCUSAURUS),
    "growthbook": ("docs/docusaurus.config.js", _DOCUSAURUS),
    "payload": ("docs/docs.json", '{"navigation": {}}'),
    "polar": ("docs/docs.json", '{"navigation": {}}'),
    "trigger.dev": ("docs/docs.json", '{"navigation": {}}'),
    "unleash": ("website/docusaurus.config.js", _DOCUSAURUS),
    "wezterm": ("mkdocs.yml", "site_name: wezterm"),
    "woodpecker": ("docs/docusaurus.config.js", _DOCUSAURUS),
}


def read_center(name: str, folder: Path) -> list[dict[str, Any]]:
    """The articles of a help center as rows of a question set; `folder` holds the real products."""
    if name == OWN:
        return read_articles()
    *_, last = scorer_of(folder).load(str(folder), {name})
    texts = {path: article.text for path, article in last.articles.items()}
    texts |= dict([CONFIGURATIONS[name]] if name in CONFIGURATIONS else [])
    with tempfile.TemporaryDirectory(prefix="instep-eval-") as place:
        for path, text in texts.items():
            file = Path(place, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        tree = read_now(Source(name, Path(place)), None).tree
    return [
        {"id": page.key, "title": page.title, "description": page.description, "text": page.markdown}
        for page in tree.pages
    ]
