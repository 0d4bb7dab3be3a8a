"""Writes operations as settings, in which the writer finds names and values that changed."""

import json
from collections.abc import Iterator

from instep.platform.core import limits
from instep.transfer.imports.openapi.api_document import (
    ApiDocument,
    DocumentedOperation,
    mapping,
    read_api_document,
)
from instep.transfer.imports.openapi.operation_pages import with_content
from instep.transfer.imports.openapi.schema_fields import SETTING_LEVELS, SchemaReader, field_text


def descriptions_in(content: bytes, name: str) -> dict[str, str]:
    """Each operation as settings, up to a total size; raises `UnreadableSource`."""
    document, settings = read_api_document(name, content), dict[str, str]()
    characters_left = limits.MAX_API_SETTINGS_CHARACTERS
    for operation in document.public_operations():
        settings[operation.name] = "".join(settings_of(document, operation))
        characters_left -= len(settings[operation.name])
        if characters_left < 0:
            break
    return settings


def settings_of(document: ApiDocument, operation: DocumentedOperation) -> Iterator[str]:
    """A line for each parameter and each field with its default or its type, below its description.

    The writer reads names and values in such lines as those of settings.
    """
    reader = SchemaReader(document)
    yield f"[{operation.name}]\n"
    yield comment(f"{operation.row.get('summary') or ''}\n{operation.row.get('description') or ''}")
    for parameter in operation.parameters:
        schema = reader.merged(parameter.get("schema") or parameter)
        yield comment(field_text({**schema, **parameter}))
        default = schema.get("default")
        value = reader.kind_of(schema) if default is None else default
        yield f"{parameter['name']} = {value if isinstance(value, str) else json.dumps(value, default=str)}\n"
    for status, message in {"": operation.body, **operation.responses}.items():
        yield comment(f"{status} {message.get('description') or ''}")
        for media in mapping(with_content(message).get("content")).values():
            for field in reader.fields_of(mapping(media).get("schema"), SETTING_LEVELS):
                yield comment(field.text)
                yield f"{field.name} = {field.kind}\n"


def comment(text: str) -> str:
    return "".join(f"# {line.strip()}\n" for line in text.splitlines() if line.strip())
