"""Descriptions of errors and headers are generated from the code: docstrings, routes and shapes."""

from instep.platform.core.errors import RateLimited, Unauthorized
from instep.platform.core.outages import DatabaseFull
from tests.support.api_document import operation, resolve
from tests.support.cast import Json


def success_headers(method: str, template: str) -> Json:
    responses = operation(method, template)["responses"]
    headers: Json = next(response for status, response in responses.items() if status.startswith("2"))[
        "headers"
    ]
    return headers


def test_an_error_is_described_by_its_own_sentence() -> None:
    responses = operation("GET", "/articles")["responses"]

    for kind in (Unauthorized, RateLimited):
        assert resolve(responses[str(kind.status)])["description"] == kind.sentence()


def test_a_description_names_the_more_specific_codes_of_its_status() -> None:
    unavailable = resolve(operation("GET", "/articles")["responses"]["503"])

    assert f"`{DatabaseFull.code}`" in unavailable["description"]


def test_responses_with_an_etag_describe_the_header() -> None:
    assert "ETag" in success_headers("GET", "/articles/{id}")
    assert "ETag" in success_headers("POST", "/articles/{id}/publish")
    assert "ETag" not in success_headers("GET", "/articles")
    assert "ETag" not in success_headers("POST", "/drafts/{id}/apply")


def test_warnings_are_described_where_an_action_may_warn() -> None:
    assert "Instep-Warnings" in success_headers("DELETE", "/articles/{id}")
    assert "Instep-Warnings" not in success_headers("DELETE", "/collections/{id}")
