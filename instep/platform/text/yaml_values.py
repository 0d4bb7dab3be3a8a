"""Parses people's YAML within bounds, with libyaml, which is fast but crashes on deep nesting."""

import re
from typing import Any

import yaml

from instep.platform.core import limits

NULL = re.compile(r"(?:~|null|Null|NULL)\Z")
NULL_TAG = "tag:yaml.org,2002:null"


class UnboundedYaml(ValueError):
    """The document exceeds a limit of YAML; the message names it in one clause."""


class TypedLoader(yaml.CSafeLoader):
    """Gives numbers, dates and words such as `no` their types, and treats merge keys as ordinary ones."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Do not expand merge keys: a few lines can expand to billions of values."""


TypedLoader.add_constructor("tag:yaml.org,2002:merge", lambda loader, node: "<<")


class TextLoader(yaml.CBaseLoader):
    """Gives every value as the text in the file, and null as an empty one."""


TextLoader.add_implicit_resolver(NULL_TAG, NULL, ["~", "n", "N"])
TextLoader.add_constructor(NULL_TAG, lambda loader, node: "")


def load_yaml(text: str, *, is_typed: bool = False) -> Any:
    """A document as lists, mappings and texts, which have no types unless `is_typed`; null is an empty text.

    Raises `YAMLError` for invalid YAML, and `UnboundedYaml`.
    """
    refuse_unbounded(text)
    return yaml.load(text, Loader=TypedLoader if is_typed else TextLoader)


def refuse_unbounded(text: str) -> None:
    """Refuse a document before it is composed, which uses C recursion for each level."""
    depth = aliases = 0
    for event in yaml.parse(text, Loader=yaml.CBaseLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        aliases += isinstance(event, yaml.AliasEvent)
        if depth > limits.MAX_YAML_DEPTH:
            raise UnboundedYaml("it is nested too deeply")
        if aliases > limits.MAX_YAML_ALIASES:
            raise UnboundedYaml(f"it has more than {limits.MAX_YAML_ALIASES:,} aliases")
