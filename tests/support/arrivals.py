"""The result for deliveries, as the database has it and as the receiver saw it."""

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
    """A delivery with its event, as the database has them in the end."""

    id: str
    status: str
    attempts: list[Json]
    body: bytes


def have_arrived(deliveries: list[Kept], received: list[Received]) -> tuple[int, int]:
    """How many attempts were lost, and how many deliveries arrived more than once, which only those may."""
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
