"""Rotating the secret key: which secrets are sealed, under which key, and sealing them anew."""

from dataclasses import dataclass

from instep.core.crypto import KeyRing, Unreadable
from instep.core.database import Tx
from instep.web.shapes import Out

BATCH_ROWS = 200
# The tables that hold sealed secrets, each in a column `sealed`, and what names their rows: a secret is bound
# to its table, column, workspace and row.
SEALED_TABLES = {"webhook_secrets": "id", "visitor_secrets": "bot_id", "alert_targets": "id"}


class Rotation(Out):
    """What `instep secrets rotate` ends with, in numbers of secrets."""

    resealed: int
    already_current: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class SealedSecret:
    """A secret as it is stored, and where: `row_id` names it in its table."""

    row_id: str
    workspace_id: str
    sealed: bytes


@dataclass(slots=True)
class SealedCounts:
    """How many secrets the present key has sealed, how many an older one that is listed, how many neither."""

    current: int = 0
    previous: int = 0
    unreadable: int = 0

    def add(self, keys: KeyRing, secret: SealedSecret, plain: str | None) -> None:
        """Count a secret; `plain` is what it opens to, None where it does not."""
        if plain is None:
            self.unreadable += 1
        elif keys.is_sealed_by_newest(secret.sealed):
            self.current += 1
        else:
            self.previous += 1

    def problems(self) -> list[str]:
        problems = []
        if self.previous:
            problems.append(
                f"{self.previous} secrets are sealed with a previous key: run `instep secrets rotate`."
            )
        if self.unreadable:
            problems.append(
                f"{self.unreadable} secrets can't be read with the keys that are set: list the key that "
                "sealed them in INSTEP_SECRET_KEY_PREVIOUS, or make these secrets anew."
            )
        return problems


async def count_sealed(tx: Tx, keys: KeyRing) -> SealedCounts:
    """Look at every sealed secret of the installation."""
    counts = SealedCounts()
    for table in SEALED_TABLES:
        after = ""
        while batch := await next_batch(tx, table, after):
            for secret in batch:
                counts.add(keys, secret, opened(keys, table, secret))
            after = batch[-1].row_id
    return counts


async def rotate_secrets(tx: Tx, keys: KeyRing) -> Rotation:
    """Seal with the newest key what an older one has sealed. Each batch is kept as soon as it is done.

    What no listed key opens stays as it is. It may run beside servers, again and again.
    """
    counts = SealedCounts()
    for table in SEALED_TABLES:
        after = ""
        while batch := await next_batch(tx, table, after, lock=True):
            for secret in batch:
                plain = opened(keys, table, secret)
                counts.add(keys, secret, plain)
                if plain is not None and not keys.is_sealed_by_newest(secret.sealed):
                    await reseal(tx, keys, table, secret, plain)
            await tx.connection.commit()
            after = batch[-1].row_id
    return Rotation(resealed=counts.previous, already_current=counts.current, unreadable=counts.unreadable)


async def reseal(tx: Tx, keys: KeyRing, table: str, secret: SealedSecret, plain: str) -> None:
    await tx.execute(
        f"update {table} set sealed = %(sealed)s where {SEALED_TABLES[table]}::text = %(row)s",
        sealed=keys.seal(plain, *place(table, secret)),
        row=secret.row_id,
    )


async def next_batch(tx: Tx, table: str, after: str, *, lock: bool = False) -> list[SealedSecret]:
    """The next secrets of a table in the order of their rows' names."""
    name = f"{SEALED_TABLES[table]}::text"
    return await tx.all(
        SealedSecret,
        f"""
        select {name} as row_id, workspace_id, sealed from {table}
        where {name} > %(after)s order by {name} limit %(most)s {"for update" if lock else ""}
        """,
        after=after,
        most=BATCH_ROWS,
    )


def opened(keys: KeyRing, table: str, secret: SealedSecret) -> str | None:
    try:
        return keys.open(secret.sealed, *place(table, secret))
    except Unreadable:
        return None


def place(table: str, secret: SealedSecret) -> tuple[str, ...]:
    return table, "sealed", secret.workspace_id, secret.row_id
