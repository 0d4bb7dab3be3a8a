"""Forms with files: `multipart/form-data` (RFC 7578), parsed from a body that is already bounded."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest

MULTIPART = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class FormFile:
    """A file that someone chose in a form; `name` is the browser's, complete or empty."""

    name: str
    content: bytes


async def read_multipart(
    content_type: str, body: bytes
) -> tuple[list[tuple[str, str]], list[tuple[str, FormFile]]]:
    """The fields and the files of a form, each with its name, in page order."""

    async def chunks() -> AsyncGenerator[bytes, None]:
        yield body

    parser = MultiPartParser(
        Headers({"Content-Type": content_type}),
        chunks(),
        max_files=limits.MAX_FORM_FILES,
        max_fields=limits.MAX_FORM_FIELDS,
        max_part_size=limits.MAX_FORM_BYTES,
    )
    fields: list[tuple[str, str]] = []
    files: list[tuple[str, FormFile]] = []
    try:
        form = await parser.parse()
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                files.append((name, FormFile(value.filename or "", await value.read())))
            else:
                fields.append((name, value))
        await form.close()
    except MultiPartException:
        raise InvalidRequest("The form can't be read: send it as the page does.") from None
    return fields, files
