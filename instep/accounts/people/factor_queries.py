"""The SQL of second factors and passkeys."""

from instep.accounts.people.schemas import Passkey, StoredPasskey, StoredTotp
from instep.platform.core.database import Tx


async def find_totp(tx: Tx, person_id: str) -> StoredTotp | None:
    sql = "select sealed, confirmed_at from totp_secrets where person_id = %(person)s"
    return await tx.first(StoredTotp, sql, person=person_id)


async def save_totp(tx: Tx, person_id: str, sealed: bytes) -> bool:
    """Store a secret that waits for its first code; False if the person has a confirmed one."""
    sql = """
        insert into totp_secrets as t (person_id, sealed) values (%(person)s, %(sealed)s)
        on conflict (person_id) do update set sealed = excluded.sealed, last_step = 0
        where t.confirmed_at is null
    """
    return await tx.execute(sql, person=person_id, sealed=sealed) == 1


async def confirm_totp(tx: Tx, person_id: str) -> None:
    sql = "update totp_secrets set confirmed_at = now() where person_id = %(person)s"
    await tx.execute(sql, person=person_id)


async def use_totp_step(tx: Tx, person_id: str, step: int) -> bool:
    """True for exactly one of several calls with the same time step or an earlier one."""
    sql = """
        update totp_secrets set last_step = %(step)s where person_id = %(person)s and last_step < %(step)s
    """
    return await tx.execute(sql, person=person_id, step=step) == 1


async def delete_totp(tx: Tx, person_id: str) -> bool:
    return await tx.execute("delete from totp_secrets where person_id = %(person)s", person=person_id) == 1


async def count_recovery_codes(tx: Tx, person_id: str) -> int:
    sql = "select count(*) from recovery_codes where person_id = %(person)s"
    return await tx.value(sql, person=person_id)


async def replace_recovery_codes(tx: Tx, person_id: str, hashes: list[bytes]) -> None:
    await tx.execute("delete from recovery_codes where person_id = %(person)s", person=person_id)
    await tx.execute(
        """
        insert into recovery_codes (person_id, code_hash)
        select %(person)s, hash from unnest(%(hashes)s::bytea[]) as hash
        """,
        person=person_id,
        hashes=hashes,
    )


async def use_recovery_code(tx: Tx, person_id: str, code_hash: bytes) -> bool:
    """True for exactly one of several calls with the same code."""
    sql = "delete from recovery_codes where person_id = %(person)s and code_hash = %(hash)s"
    return await tx.execute(sql, person=person_id, hash=code_hash) == 1


async def delete_second_factors(tx: Tx, person_id: str) -> None:
    """Delete the person's second factors, and unlink their accounts at OpenID providers."""
    for table in ("totp_secrets", "recovery_codes", "passkeys", "provider_accounts"):
        await tx.execute(f"delete from {table} where person_id = %(person)s", person=person_id)


async def list_passkeys(tx: Tx, person_id: str) -> list[Passkey]:
    return await tx.all(
        Passkey,
        """
        select id, name, created_at, used_at from passkeys where person_id = %(person)s
        order by created_at, id
        """,
        person=person_id,
    )


async def lock_factors(tx: Tx, person_id: str) -> None:
    """Prevent others from adding factors or recovery codes of the person until the transaction ends."""
    await tx.advisory_lock(f"second_factors {person_id}")


async def insert_passkey(
    tx: Tx, passkey_id: str, person_id: str, name: str, public_key: bytes, sign_count: int
) -> bool:
    """Insert a passkey; False if the credential is already stored."""
    sql = """
        insert into passkeys (id, person_id, name, public_key, sign_count)
        values (%(id)s, %(person)s, %(name)s, %(key)s, %(count)s) on conflict (id) do nothing
    """
    values = {"id": passkey_id, "person": person_id, "name": name, "key": public_key, "count": sign_count}
    return await tx.execute(sql, **values) == 1


async def delete_passkeys(tx: Tx, person_id: str) -> None:
    await tx.execute("delete from passkeys where person_id = %(person)s", person=person_id)


async def delete_passkey(tx: Tx, person_id: str, passkey_id: str) -> bool:
    sql = "delete from passkeys where person_id = %(person)s and id = %(id)s"
    return await tx.execute(sql, person=person_id, id=passkey_id) == 1


async def find_passkey(tx: Tx, passkey_id: str) -> StoredPasskey | None:
    return await tx.first(StoredPasskey, "select * from find_passkey(%(id)s)", id=passkey_id)


async def use_passkey(tx: Tx, person_id: str, passkey_id: str, sign_count: int) -> bool:
    """Store the use of a passkey; False if it was removed in the meantime."""
    sql = """
        update passkeys set sign_count = %(count)s, used_at = now()
        where person_id = %(person)s and id = %(id)s
    """
    return await tx.execute(sql, person=person_id, id=passkey_id, count=sign_count) == 1
