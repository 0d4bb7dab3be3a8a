"""Describes JSON Schemas of an OpenAPI document: types in words, tables of fields, and examples."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from instep.transfer.imports.openapi.api_document import ApiDocument, Json, mapping

# Levels of fields in one table and in settings, and of objects in one example.
MAX_FIELD_LEVELS = 5
SETTING_LEVELS = 2
MAX_EXAMPLE_DEPTH = 5
# Parts of one description: schemas can refer to each other in a way that grows exponentially.
MAX_PARTS = 300
MAX_SHOWN_CHOICES = 20
EXAMPLES = {"integer": 1, "number": 1, "boolean": True, "null": None}
EXAMPLES_BY_FORMAT = {
    "date-time": "2026-01-31T12:00:00Z",
    "date": "2026-01-31",
    "email": "ada@example.com",
    "uri": "https://example.com",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A field of an object; `name` has the path to it, such as `items[].price`."""

    name: str
    kind: str
    is_required: bool
    text: str


@dataclass(slots=True)
class SchemaReader:
    """Reads the schemas of one text within a limit of parts."""

    document: ApiDocument
    parts_left: int = MAX_PARTS
    # True for tables: a change of the rows that they leave out is no change of a setting.
    counts_left_out: bool = False

    def merged(self, schema: Any) -> Json:
        """The schema with the properties of all schemas that it is composed of by `allOf`."""
        self.parts_left -= 1
        merged = dict(self.document.resolved(schema))
        composed = merged.pop("allOf", None)
        for each in composed if isinstance(composed, list) and self.parts_left > 0 else ():
            part = self.merged(each)
            merged = {
                **part,
                **merged,
                "properties": {**mapping(part.get("properties")), **mapping(merged.get("properties"))},
                "required": [*listed(part.get("required")), *listed(merged.get("required"))],
            }
        return merged

    def kind_of(self, schema: Any) -> str:
        """The type in words; an object is named as its component."""
        merged = self.merged(schema)
        choices = listed(merged.get("oneOf")) or listed(merged.get("anyOf"))
        if choices and self.parts_left > 0:
            return " or ".join(dict.fromkeys(self.kind_of(each) for each in choices[:MAX_SHOWN_CHOICES]))
        types = merged.get("type")
        names = [str(each) for each in (types if isinstance(types, list) else [types]) if each]
        if not names:
            names = ["object" if merged.get("properties") else "string" if merged.get("enum") else "any"]
        if "array" in names and self.parts_left > 0:
            return f"array of {self.kind_of(merged.get('items'))}"
        if merged.get("nullable"):
            names.append("null")
        if merged.get("format"):
            names[0] += f" ({merged['format']})"
        return " or ".join(names)

    def fields_of(
        self, schema: Any, levels: int, prefix: str = "", above: frozenset[str] = frozenset()
    ) -> Iterator[SchemaField]:
        """The fields down to a level; in a table, a field whose own fields are left out says how many it has.

        A component inside itself is left out too; `above` are the references of the components around.
        """
        merged, inside = self.merged(schema), above | references_of(schema)
        if merged.get("type") == "array":
            yield from self.fields_of(merged.get("items"), levels, f"{prefix.removesuffix('.')}[].", above)
            return
        required = listed(merged.get("required"))
        for name, node in mapping(merged.get("properties")).items():
            if self.parts_left <= 0:
                return
            field, is_cut = self.merged(node), levels == 1 or bool(inside & references_of(node))
            number = self.number_of_fields(node) if is_cut and self.counts_left_out else 0
            more = f"Contains {number} more field{'s' if number != 1 else ''}." if number else ""
            text = field_text(field, more)
            yield SchemaField(f"{prefix}{name}", self.kind_of(node), name in required, text)
            if not is_cut:
                yield from self.fields_of(node, levels - 1, f"{prefix}{name}.", inside)

    def number_of_fields(self, schema: Any) -> int:
        """The number of fields of an object, or of the objects in an array."""
        merged = self.merged(schema)
        while merged.get("type") == "array" and self.parts_left > 0:
            merged = self.merged(merged.get("items"))
        return len(mapping(merged.get("properties")))

    def example_of(self, schema: Any, depth: int = 0) -> Any:
        """A value that the schema allows: its own example, or one made from its type."""
        merged = self.merged(schema)
        if (example := stated_example(merged)) is not None:
            return example
        if depth > MAX_EXAMPLE_DEPTH or self.parts_left <= 0:
            return None
        choices = listed(merged.get("oneOf")) or listed(merged.get("anyOf"))
        if choices:
            return self.example_of(choices[0], depth + 1)
        properties = mapping(merged.get("properties"))
        if properties:
            return {str(name): self.example_of(each, depth + 1) for name, each in properties.items()}
        types = merged.get("type")
        kind = str((listed(types) or [types])[0])
        if kind == "array":
            return [self.example_of(merged.get("items"), depth + 1)]
        return EXAMPLES_BY_FORMAT.get(
            str(merged.get("format")), EXAMPLES.get(kind, {} if kind == "object" else "…")
        )


def references_of(schema: Any) -> frozenset[str]:
    """The reference that a schema is, or that the items of an array are."""
    row = mapping(schema)
    references = (row.get("$ref"), mapping(row.get("items")).get("$ref"))
    return frozenset(each for each in references if isinstance(each, str))


def deepest_fields(document: ApiDocument, schema: Any) -> tuple[list[SchemaField], bool]:
    """The fields on as many levels as the limit of parts allows, and true if even the first is cut."""
    for levels in range(MAX_FIELD_LEVELS, 0, -1):
        reader = SchemaReader(document, counts_left_out=True)
        fields = list(reader.fields_of(schema, levels))
        if reader.parts_left > 0:
            return fields, False
    return fields, True


def stated_example(schema: Json) -> Any:
    """The first value that a schema, a parameter or a media type states itself; None if there is none."""
    examples = schema.get("examples")
    if isinstance(examples, dict):
        examples = [mapping(each).get("value") for each in examples.values()]
    values = [schema.get("example"), *listed(examples), schema.get("default"), schema.get("const")]
    return next((each for each in (*values, *listed(schema.get("enum"))) if each is not None), None)


def field_text(schema: Json, further: str = "") -> str:
    """The description on one line, with the allowed values, the default and a further sentence."""
    description = " ".join(str(schema.get("description") or "").split())
    sentences = list[str]()
    choices = [code(each) for each in listed(schema.get("enum"))[:MAX_SHOWN_CHOICES]]
    if choices:
        sentences.append(f"One of {', '.join(choices)}.")
    if schema.get("default") is not None:
        sentences.append(f"Default: {code(schema['default'])}.")
    if schema.get("deprecated") and "deprecated" not in description.casefold():
        sentences.append("Deprecated.")
    if further:
        sentences.append(further)
    is_open = sentences and description[-1:].isalnum()
    return " ".join(filter(None, [f"{description}." if is_open else description, *sentences]))


def code(value: Any) -> str:
    words = {True: "true", False: "false", None: "null"}
    text = words[value] if value is None or isinstance(value, bool) else str(value)
    return f"`{' '.join(text.replace('`', '').split()) or ' '}`"


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
