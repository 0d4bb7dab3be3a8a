"""YAML of people, read within bounds by libyaml, which is fast but ends its process over deep nesting."""

from typing import Any

import yaml

from instep.platform.core import limits


class UnboundedYaml(ValueError):
    """The document goes beyond the limits of YAML; the message says in one clause beyond which."""


class TypedLoader(yaml.CSafeLoader):
    """Reads numbers, dates and words such as `no` as what they are, and merge keys as ordinary ones."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leave merge keys as they are: a few lines of them stand for billions of values."""


TypedLoader.add_constructor("tag:yaml.org,2002:merge", lambda loader, node: "<<")


def load_yaml(text: str, *, is_typed: bool = False) -> Any:
    """A document as lists, mappings and texts, which have no types unless `is_typed`.

    Raises `YAMLError` for what is no YAML, and `UnboundedYaml`.
    """
    refuse_unbounded(text)
    return yaml.load(text, Loader=TypedLoader if is_typed else yaml.CBaseLoader)


def refuse_unbounded(text: str) -> None:
    """Refuse a document before it is composed, which calls itself in C for each level."""
    depth = aliases = 0
    for event in yaml.parse(text, Loader=yaml.CBaseLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        aliases += isinstance(event, yaml.AliasEvent)
        if depth > limits.MAX_YAML_DEPTH:
            raise UnboundedYaml("it is nested too deeply")
        if aliases > limits.MAX_YAML_ALIASES:
            raise UnboundedYaml(f"it has more than {limits.MAX_YAML_ALIASES:,} aliases")
