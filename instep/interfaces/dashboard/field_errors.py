"""Errors of form fields, as sentences next to the fields."""

from instep.platform.core.errors import AppError


def errors_by_field(error: AppError) -> dict[str, str]:
    """A sentence for each field of the API with an invalid value."""
    return {field: field_sentence(message) for field, message in error.details}


def field_sentence(message: str) -> str:
    """The message of a field, which does not name the field, as a sentence of its own."""
    return message[:1].upper() + message[1:] + ("" if message.endswith(".") else ".")
