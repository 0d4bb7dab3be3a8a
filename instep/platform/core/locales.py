"""Language codes such as en, pt-BR or zh-Hant (RFC 5646), in their recommended spelling."""

import re

CODE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")
# Living scripts that run from right to left (Unicode, Bidi_Class R and AL), by their ISO 15924 codes.
RTL_SCRIPTS = {"Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa", "Yezi"}
# Languages that usually use one of these scripts (Unicode CLDR, likely subtags).
RTL_LANGUAGES = {
    *("ar", "arc", "aii", "bal", "bqi", "ckb", "dv", "fa", "glk", "he", "iw", "ji", "khw", "ks", "lrc"),
    *("mid", "mzn", "nqo", "pnb", "prs", "ps", "rhg", "sam", "sd", "sdh", "skr", "syr", "ug", "ur", "yi"),
}


def valid_locale(text: str) -> str:
    """Validate a code and spell it as RFC 5646 section 2.1.1 recommends; raises `ValueError`."""
    if not CODE.fullmatch(text):
        raise ValueError("it must be a language code such as en or pt-BR")
    language, *others = text.split("-")
    return "-".join([language.lower(), *map(spell_subtag, others)])


def spell_subtag(subtag: str) -> str:
    if len(subtag) == 2:
        return subtag.upper()
    return subtag.title() if len(subtag) == 4 and subtag.isalpha() else subtag.lower()


def direction(locale: str) -> str:
    """The value of HTML's `dir` attribute, `rtl` or `ltr`, for a code in its recommended spelling.

    A script subtag decides (`az-Arab`); otherwise the usual script of the language does.
    """
    language, *others = locale.split("-")
    script = next((subtag for subtag in others if len(subtag) == 4 and subtag.isalpha()), None)
    is_rtl = script in RTL_SCRIPTS if script else language in RTL_LANGUAGES
    return "rtl" if is_rtl else "ltr"
