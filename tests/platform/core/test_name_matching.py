"""Names that articles and code share are distinguished from versions and amounts."""

import pytest

from instep.platform.core.name_matching import is_distinct


@pytest.mark.parametrize(
    ("text", "is_name"),
    [
        *((name, True) for name in ("10-nginx.conf", "v2-api-keys", "2-factor-auth", "v2-migrateUsers")),
        *(
            (number, False)
            for number in ("v1.28.0", "1.28.0-rc.1", "v2.0.0b3", "1.0.0-alpha+build.7", "1_000")
        ),
    ],
)
def test_a_version_is_no_name_and_a_name_may_begin_with_a_number(text: str, is_name: bool) -> None:
    assert is_distinct(text) is is_name
