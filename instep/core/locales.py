"""Language codes such as en, pt-BR or zh-Hant (RFC 5646), in their one recommended spelling."""

import re

CODE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")


def valid_locale(text: str) -> str:
    """For wire shapes: the code as section 2.1.1 of the RFC spells it, or why it can't be one."""
    if not CODE.fullmatch(text):
        raise ValueError("it must be a language code such as en or pt-BR")
    language, *others = text.split("-")
    return "-".join([language.lower(), *map(spelled, others)])


def spelled(subtag: str) -> str:
    if len(subtag) == 2:
        return subtag.upper()
    return subtag.title() if len(subtag) == 4 and subtag.isalpha() else subtag.lower()
