"""The writing direction of a language code."""

import pytest

from instep.platform.core.locales import direction


@pytest.mark.parametrize("locale", ["ar", "ar-EG", "he", "fa-IR", "ur", "ckb", "az-Arab", "pa-Arab-PK", "yi"])
def test_right_to_left_locales(locale: str) -> None:
    assert direction(locale) == "rtl"


@pytest.mark.parametrize("locale", ["en", "de-AT", "zh-Hant", "ku", "ar-Latn", "az", "ja", "arn"])
def test_left_to_right_locales(locale: str) -> None:
    assert direction(locale) == "ltr"
