"""Changes of an OpenAPI document as the diff of a task: one file for each operation."""

from collections.abc import Mapping

from instep.platform.core import limits
from instep.platform.text.diff import compare
from instep.platform.text.slugs import slugify


async def diff_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The unified diff of the changed operations, up to the size of a task; later ones are left out."""
    diffs, characters_left = list[str](), limits.MAX_DIFF_CHARACTERS
    for name in dict.fromkeys((*before, *after)):
        texts = (before.get(name, ""), after.get(name, ""))
        if texts[0] == texts[1]:
            continue
        path = f"openapi/{slugify(name, 'operation')}.ini"
        names = (f"a/{path}" if texts[0] else "/dev/null", f"b/{path}" if texts[1] else "/dev/null")
        diff = (await compare(*texts, names)).diff
        characters_left -= len(diff)
        if characters_left < 0:
            break
        diffs.append(diff)
    return "".join(diffs)
