"""Marks of erasures, which recognize an erased visitor in an older copy of the data without naming them.

An email address is stored as a salted hash, an identifier as the hash that conversations have. After a
restore, the addresses in the restored texts are hashed and compared.
"""

import re
import secrets
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from datetime import datetime

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from instep.platform.identity.visitor_hash import hash_visitor

SALT_BYTES = 16
# Characters that end an address in a text or URL; text longer than the longest address is never one.
ADDRESS = r"[^\s<>\"'(),;:/\\=&?#\[\]{}|]{1,200}@[^\s<>\"'(),;:/\\=&?#\[\]{}|]{1,200}"
PUNCTUATION = re.compile(r"\A\W+|\W+\Z")


@dataclass(frozen=True, slots=True)
class ErasureMark:
    """One erasure; the hash of the address is None if only an identifier was known."""

    id: str
    workspace_id: str
    salt: bytes
    email_hash: bytes | None
    visitor_hashes: list[bytes]
    created_at: datetime

    def is_of(self, email: str) -> bool:
        """True if the erased visitor had this address, in lower case."""
        return self.email_hash == hash_email(self.workspace_id, self.salt, email)


INSERT = """
    insert into erasures (id, workspace_id, salt, email_hash, visitor_hashes, created_at)
    values (%(id)s, %(workspace_id)s, %(salt)b, %(email_hash)b, %(visitor_hashes)s::bytea[], %(created_at)s)
    on conflict do nothing
"""


async def mark_erasure(tx: Tx, workspace_id: str, email: str | None, visitor_hashes: list[bytes]) -> None:
    """Remember an erasure; `email` is in lower case."""
    salt = secrets.token_bytes(SALT_BYTES)
    email_hash = None if email is None else hash_email(workspace_id, salt, email)
    mark = ErasureMark(new_id("era"), workspace_id, salt, email_hash, visitor_hashes, utc_now())
    await tx.execute(INSERT, **asdict(mark))


async def take_over_mark(tx: Tx, mark: ErasureMark) -> bool:
    """Remember an erasure that this database does not know; False if it does, or has no such workspace."""
    if not await tx.value("select true from workspaces where id = %(id)s", id=mark.workspace_id):
        return False
    return await tx.execute(INSERT, **asdict(mark)) == 1


async def list_marks(tx: Tx) -> list[ErasureMark]:
    """All erasures of the installation, in the order of their ids."""
    return await tx.all(ErasureMark, "select * from list_erasures()")


def hash_email(workspace_id: str, salt: bytes, email: str) -> bytes:
    return hash_visitor(f"{workspace_id} {salt.hex()}", email)


# Every text of a workspace that may contain a visitor's address.
TEXTS = """
    select lower(concat_ws(' ', email, message, page_url)) as text from conversations
    where workspace_id = %(workspace)s
    union all select lower(concat_ws(' ', email, message)) from leads where workspace_id = %(workspace)s
    union all select email from subscriptions where workspace_id = %(workspace)s
    union all select lower(concat_ws(' ', question, answer, comment)) from messages
    where workspace_id = %(workspace)s
    union all select lower(concat_ws(' ', question, array_to_string(examples, ' ')))
    from unanswered_questions where workspace_id = %(workspace)s
"""


async def list_addresses(tx: Tx, workspace_id: str) -> set[str]:
    """The email addresses in what visitors of a workspace have left, in lower case."""
    addresses = await tx.column(
        f"""
        select distinct match[1] from ({TEXTS}) as texts,
            regexp_matches(text, %(address)s, 'g') as match
        where position('@' in text) > 0
        """,
        workspace=workspace_id,
        address=f"({ADDRESS})",
    )
    # Punctuation around an address may be part of it, or of the text.
    return {form for address in addresses for form in (address, PUNCTUATION.sub("", address))}


async def find_marked_conversations(tx: Tx, mark: ErasureMark) -> list[str]:
    """One conversation per hash that has any."""
    return await tx.column(
        """
        select distinct on (visitor_hash) id from conversations
        where workspace_id = %(workspace)s and visitor_hash = any (%(hashes)s::bytea[])
        order by visitor_hash, id
        """,
        workspace=mark.workspace_id,
        hashes=mark.visitor_hashes,
    )


async def scan_marks(
    tx: Tx, marks: list[ErasureMark]
) -> AsyncIterator[tuple[ErasureMark, list[str], list[str]]]:
    """Each mark that this database did not know, with the addresses and conversations that it fits."""
    addresses: dict[str, set[str]] = {}
    for mark in marks:
        if not await take_over_mark(tx, mark):
            continue
        if mark.workspace_id not in addresses:
            addresses[mark.workspace_id] = await list_addresses(tx, mark.workspace_id)
        emails = [email for email in sorted(addresses[mark.workspace_id]) if mark.is_of(email)]
        yield mark, emails, await find_marked_conversations(tx, mark)
