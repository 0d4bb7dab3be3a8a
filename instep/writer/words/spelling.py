"""How an article spells the names of code: `page_size` as `--page-size`, `APP_PAGE_SIZE` or Page size."""

from collections.abc import Callable

from instep.writer.words.labels import key_of
from instep.writer.words.tokens import parts_of

Respelling = Callable[[str], str]


def _words(name: str) -> list[str]:
    return parts_of(name)


_RESPELLINGS: tuple[Respelling, ...] = (
    lambda name: name,
    lambda name: name.lstrip("-"),
    lambda name: f"--{name.lstrip('-').replace('_', '-')}",
    lambda name: "-".join(_words(name)),
    lambda name: "_".join(_words(name)),
    lambda name: "_".join(_words(name)).upper(),
    lambda name: "".join([*_words(name)[:1], *(word.capitalize() for word in _words(name)[1:])]),
    lambda name: "".join(word.capitalize() for word in _words(name)),
    lambda name: " ".join(_words(name)).capitalize(),
    lambda name: " ".join(word.capitalize() for word in _words(name)),
    lambda name: f".{name}",
    lambda name: f"-{name}",
)


def spelled_like(name: str, code: str, label: str) -> str | None:
    """`name` spelled as the article's `label` spells `code`; None if no rule leads from one to the other."""
    for respell in _RESPELLINGS:
        if respell(code) == label:
            return respell(name)
    if key_of(code) != key_of(label) and label.endswith(code.upper()):
        return label.removesuffix(code.upper()) + name.upper()
    return None
