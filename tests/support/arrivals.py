"""Compares deliveries in the database with the requests that the receiver got."""

from collections import defaultdict
from dataclasses import dataclass

from tests.support.cast import Json
from tests.support.webhook_receiver import Received

LOST = "The sender was stopped during this attempt."

DELIVERIES = """
    select d.id, d.status, d.attempts, e.body from events e left join deliveries d on d.event_id = e.id
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A delivery and its event, as finally stored in the database."""

    id: str
    status: str
    attempts: list[Json]
    body: bytes


def have_arrived(deliveries: list[Kept], received: list[Received]) -> tuple[int, int]:
    """Count lost attempts and repeated arrivals; only deliveries with a lost attempt may arrive twice."""
    arrivals = defaultdict[str, list[Received]](list)
    for request in received:
        arrivals[request.delivery].append(request)
    assert arrivals.keys() == {each.id for each in deliveries}
    for each in deliveries:
        numbers = [attempt["number"] for attempt in each.attempts]
        attempt_numbers = [request.attempt for request in arrivals[each.id]]
        *earlier_attempts, last = each.attempts
        assert numbers == list(range(1, len(numbers) + 1))
        assert (each.status, last["http_status"]) == ("delivered", 200)
        assert {attempt["error"] for attempt in earlier_attempts} <= {LOST}
        assert len(set(attempt_numbers)) == len(attempt_numbers)
        assert {numbers[-1]} <= set(attempt_numbers) <= set(numbers)
        assert {request.body for request in arrivals[each.id]} == {each.body}
    return sum(len(each.attempts) - 1 for each in deliveries), sum(
        len(attempt_numbers) > 1 for attempt_numbers in arrivals.values()
    )
