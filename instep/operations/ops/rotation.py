"""Rotation of the secret key: count the secrets that each key has encrypted, and encrypt them again."""

from dataclasses import dataclass

from instep.platform.core.crypto import KeyRing, Unreadable
from instep.platform.core.database import Tx
from instep.platform.web.shapes import Out

BATCH_ROWS = 200
# Tables with secrets in a column `sealed`, and their key columns. The ciphertext is bound to table, column,
# owner and key; the owner is the workspace, except where a person owns the secret.
SEALED_TABLES = {
    "webhook_secrets": "id",
    "visitor_secrets": "bot_id",
    "alert_targets": "id",
    "totp_secrets": "person_id",
    "language_models": "bot_id",
    "code_hosts": "id",
}
OWNED_BY_PEOPLE = {"totp_secrets"}


class Rotation(Out):
    """The result of `instep secrets rotate`, in numbers of secrets."""

    resealed: int
    already_current: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class SealedSecret:
    """A stored secret; `row_id` is the key of its row."""

    row_id: str
    owner_id: str
    sealed: bytes


@dataclass(slots=True)
class SealedCounts:
    """Numbers of secrets that the current key, a previous key or no configured key can open."""

    current: int = 0
    previous: int = 0
    unreadable: int = 0

    def add(self, keys: KeyRing, secret: SealedSecret, plain: str | None) -> None:
        """Count a secret; `plain` is its plaintext, None if no key opens it."""
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
                "sealed them in INSTEP_SECRET_KEY_PREVIOUS, or create these secrets again."
            )
        return problems


async def count_sealed(tx: Tx, keys: KeyRing) -> SealedCounts:
    """Try to decrypt every stored secret of the installation."""
    counts = SealedCounts()
    for table in SEALED_TABLES:
        after = ""
        while batch := await next_batch(tx, table, after):
            for secret in batch:
                counts.add(keys, secret, open_secret(keys, table, secret))
            after = batch[-1].row_id
    return counts


async def rotate_secrets(tx: Tx, keys: KeyRing) -> Rotation:
    """Encrypt secrets of previous keys again with the newest key, committing each batch.

    Secrets that no key can decrypt stay unchanged. It may run while servers run, and be repeated.
    """
    counts = SealedCounts()
    for table in SEALED_TABLES:
        after = ""
        while batch := await next_batch(tx, table, after, lock=True):
            for secret in batch:
                plain = open_secret(keys, table, secret)
                counts.add(keys, secret, plain)
                if plain is not None and not keys.is_sealed_by_newest(secret.sealed):
                    await reseal(tx, keys, table, secret, plain)
            await tx.connection.commit()
            after = batch[-1].row_id
    return Rotation(resealed=counts.previous, already_current=counts.current, unreadable=counts.unreadable)


async def reseal(tx: Tx, keys: KeyRing, table: str, secret: SealedSecret, plain: str) -> None:
    await tx.execute(
        f"update {table} set sealed = %(sealed)s where {SEALED_TABLES[table]}::text = %(row)s",
        sealed=keys.seal(plain, *binding(table, secret)),
        row=secret.row_id,
    )


async def next_batch(tx: Tx, table: str, after: str, *, lock: bool = False) -> list[SealedSecret]:
    """The next secrets of a table in the order of their keys."""
    name = f"{SEALED_TABLES[table]}::text"
    owner = "person_id" if table in OWNED_BY_PEOPLE else "workspace_id"
    return await tx.all(
        SealedSecret,
        f"""
        select {name} as row_id, {owner} as owner_id, sealed from {table}
        where {name} > %(after)s and sealed is not null
        order by {name} limit %(most)s {"for update" if lock else ""}
        """,
        after=after,
        most=BATCH_ROWS,
    )


def open_secret(keys: KeyRing, table: str, secret: SealedSecret) -> str | None:
    try:
        return keys.open(secret.sealed, *binding(table, secret))
    except Unreadable:
        return None


def binding(table: str, secret: SealedSecret) -> tuple[str, ...]:
    return table, "sealed", secret.owner_id, secret.row_id
