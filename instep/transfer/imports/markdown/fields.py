"""Reads settings in YAML, TOML or JSON, with every scalar as the text in the file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from instep.platform.core import limits
from instep.platform.text.yaml_values import load_yaml
from instep.transfer.imports.tree.json_values import load_json
from instep.transfer.imports.tree.schemas import SourceFiles, UnreadableSource, read_text

Value: TypeAlias = "str | list[Value] | dict[str, Value]"
TRUE_WORDS = frozenset(("true", "yes", "on", "1"))


@dataclass(frozen=True, slots=True)
class Fields:
    """The settings of a page or of a configuration file; missing values are empty."""

    values: Mapping[str, Value] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def text(self, *keys: str) -> str:
        """The value of the first of these keys that has a text."""
        texts = (self.values.get(key) for key in keys)
        return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")

    def texts(self, key: str) -> list[str]:
        """The texts of a list, or a single text as a list."""
        value = self.values.get(key, "")
        values = value if isinstance(value, list) else [value]
        return [text.strip() for text in values if isinstance(text, str) and text.strip()]

    def items(self, key: str) -> list[Value]:
        value = self.values.get(key)
        return value if isinstance(value, list) else []

    def fields(self, key: str) -> "Fields":
        value = self.values.get(key)
        return Fields(value if isinstance(value, dict) else {})

    def is_true(self, key: str) -> bool:
        return self.text(key).lower() in TRUE_WORDS

    def number(self, key: str) -> float | None:
        try:
            return float(self.text(key))
        except ValueError:
            return None


def named_fields(settings: Fields, key: str, name: str) -> Fields:
    """The settings of a plugin in a list or a mapping; TOML has a mapping for each part of a dotted name."""
    plugins = [Fields(plugin) for plugin in settings.items(key) if isinstance(plugin, dict)]
    for plugin in (*plugins, settings.fields(key)):
        if name in plugin:
            return plugin.fields(name)
    nested = settings.fields(key)
    for part in name.split("."):
        nested = nested.fields(part)
    return nested


def read_yaml(text: str) -> Value:
    """A YAML document without its tags, so that nothing is executed; raises `ValueError` with the problem.

    Dates, numbers and booleans stay strings: version 1.10 is not 1.1, and "no" may be a title.
    """
    try:
        value: Value = load_yaml(text) or {}
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ValueError(f"{error.problem or error.context}{line}") from None
    except yaml.YAMLError as error:
        raise ValueError(str(error).partition("\n")[0]) from None
    # Aliases of aliases can expand a short text to a tree of unbounded size.
    if _size(value, {}) > limits.MAX_IMPORT_SETTINGS_VALUES:
        raise ValueError(f"it has more than {limits.MAX_IMPORT_SETTINGS_VALUES:,} values")
    return value


def read_yaml_fields(text: str) -> Fields:
    """Like `read_yaml`, for a document that must be a mapping."""
    value = read_yaml(text)
    if not isinstance(value, dict):
        raise ValueError("it must map names to values")
    return Fields(value)


def read_toml_fields(text: str) -> Fields:
    try:
        return Fields({key: _as_value(value) for key, value in tomllib.loads(text).items()})
    except (ValueError, RecursionError) as error:
        raise ValueError(str(error)) from None


def read_json_fields(text: str) -> Fields:
    value = read_json(text)
    return Fields(value if isinstance(value, dict) else {})


def read_json(text: str) -> Value:
    try:
        return _as_value(load_json(text))
    except (ValueError, RecursionError) as error:
        raise ValueError(str(error)) from None


_READERS = {"TOML": read_toml_fields, "JSON": read_json_fields, "YAML": read_yaml_fields}


def read_settings(files: SourceFiles, path: str) -> Fields:
    """The configuration in a file, in the language of its extension; raises `UnreadableSource`."""
    language = {"toml": "TOML", "json": "JSON"}.get(path.rpartition(".")[2], "YAML")
    try:
        return _READERS[language](read_text(files, path))
    except ValueError as error:
        raise UnreadableSource(f"{path} is not valid {language}: {error}. Fix it and import again.") from None


def _as_value(value: Any) -> Value:
    if isinstance(value, dict):
        return {str(key): _as_value(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_value(inner) for inner in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _size(value: Value, sizes: dict[int, int]) -> int:
    """The number of values in a tree with all aliases expanded."""
    if isinstance(value, str):
        return 1
    if id(value) not in sizes:
        children = value.values() if isinstance(value, dict) else value
        sizes[id(value)] = 1 + sum(_size(child, sizes) for child in children)
    return sizes[id(value)]
