"""Renders Liquid in Jekyll pages with python-liquid; templates have no access to anything outside.

Jekyll runs Liquid before Markdown, so it is also rendered in code, except inside `{% raw %}`.
"""

import re
from collections.abc import Mapping
from typing import Any

import liquid
from liquid.exceptions import LiquidError, TemplateNotFoundError

from instep.platform.core import limits
from instep.platform.text.characters import whole_number
from instep.transfer.imports.markdown.fields import Value
from instep.transfer.imports.markdown.source_pages import SourcePage
from instep.transfer.imports.tree.folders import join
from instep.transfer.imports.tree.schemas import SourceFiles, read_text

_INCLUDE = re.compile(
    r"\{%(-?)[ \t]*include(?:_cached|_relative)?[ \t]+([\w./-]+)"
    r"((?:[^%\"']|\"[^\"]*\"|'[^']*'|%(?!\}))*?)(-?)%\}"
)
_ARGUMENT = re.compile(r"(?<![\w-])([\w-]++)[ \t\n]*+=[ \t\n]*+(\"[^\"]*\"|'[^']*'|[\w.\[\]\"'-]+)")
_ARGUMENT_USE = re.compile(r"\binclude\.([\w-]+)")
_HIGHLIGHT = re.compile(
    r"\{%-?[ \t]*highlight[ \t]+([\w+#-]+)[^%]*?-?%\}(.*?)\{%-?[ \t]*endhighlight[ \t]*-?%\}", re.DOTALL
)
_LINK = re.compile(r"\{%-?[ \t]*(?:link|post_url)[ \t]+([^%\s]+)[ \t]*-?%\}")
_MARKUP = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_VALUES: dict[str, bool | None] = {"true": True, "false": False, "null": None, "nil": None, "": None}


class _Loader(liquid.DictLoader):
    """Loads the included files of a source; a missing file is empty and recorded."""

    def __init__(self, files: SourceFiles) -> None:
        super().__init__({})
        self.files = files
        self.missing: list[str] = []

    def get_source(self, env: Any, template_name: str, **options: Any) -> Any:
        for folder in ("_includes", "."):
            try:
                self.templates[template_name] = _standard(read_text(self.files, join(folder, template_name)))
                break
            except KeyError:
                continue
        else:
            self.missing.append(template_name)
            self.templates[template_name] = ""
        return super().get_source(env, template_name, **options)


class _Environment(liquid.Environment):
    output_stream_limit = limits.MAX_IMPORT_TEMPLATE_BYTES
    loop_iteration_limit = limits.MAX_IMPORT_TEMPLATE_STEPS
    local_namespace_limit = limits.MAX_IMPORT_TEMPLATE_BYTES
    context_depth_limit = 20

    def __init__(self, loader: _Loader) -> None:
        super().__init__(loader=loader, tolerance=liquid.Mode.LAX, strict_filters=False)
        self.faults: list[str] = []

    def error(self, exc: Any, msg: str | None = None, token: Any = None) -> None:
        """Record an error and continue to render the page."""
        self.faults.append(str(msg or exc).partition("\n")[0])


class LiquidTemplates:
    """Renders the pages of one source with its settings and data."""

    def __init__(self, files: SourceFiles, site: Mapping[str, Value]) -> None:
        self.loader = _Loader(files)
        self.environment = _Environment(self.loader)
        for name in ("relative_url", "absolute_url", "markdownify", "smartify", "xml_escape"):
            self.environment.add_filter(name, _same)
        self.site = _as_liquid(dict(site))

    def render(self, page: SourcePage) -> str:
        """The rendered text of a page; invalid Liquid is removed and recorded as a loss."""
        if "{{" not in page.body and "{%" not in page.body:
            return page.body
        self.loader.missing.clear()
        self.environment.faults.clear()
        source = _HIGHLIGHT.sub(r"{% raw %}```\1\n\2\n```{% endraw %}", _LINK.sub(r"/\1", page.body))
        try:
            template = self.environment.from_string(_standard(source))
            text = template.render(site=self.site, page=_as_liquid(dict(page.fields.values)))
        except (LiquidError, TemplateNotFoundError, RecursionError, ValueError, TypeError) as error:
            page.losses.add(f"Liquid that can't be read ({str(error).partition(chr(10))[0]})", "{%")
            return _MARKUP.sub("", page.body)
        for fault in dict.fromkeys(self.environment.faults):
            page.losses.add(f"Liquid that can't be read ({fault})", "{%")
        for name in dict.fromkeys(self.loader.missing):
            page.losses.add(f"included file that isn't in the source: {name}", _include_line(page.body))
        return text


def _include_line(body: str) -> str:
    match = _INCLUDE.search(body)
    return match[0] if match else ""


def _standard(source: str) -> str:
    """Jekyll's `include name.html a=b`, whose arguments are `include.a`, as standard Liquid."""
    return _ARGUMENT_USE.sub(r"include_\1", _INCLUDE.sub(_standard_include, source))


def _standard_include(match: re.Match[str]) -> str:
    arguments = "".join(f", include_{name}: {value}" for name, value in _ARGUMENT.findall(match[3]))
    return f"{{%{match[1]} include '{match[2]}'{arguments} {match[4]}%}}"


def _as_liquid(value: Value) -> Any:
    """A value with booleans and numbers instead of strings, for conditions and sorting."""
    if isinstance(value, dict):
        return {key: _as_liquid(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_liquid(inner) for inner in value]
    if value.lower() in _VALUES:
        return _VALUES[value.lower()]
    number = None if value.startswith("0") else whole_number(value, 15)
    return value if number is None else number


def _same(value: object, *_: object) -> object:
    return value
