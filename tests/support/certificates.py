"""A certificate authority for the tests."""

import datetime
import ssl
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAME = "receiver.example"
DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Authority:
    """Signs server certificates; `folder` contains the files for TLS."""

    folder: Path
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def create(cls, folder: Path) -> "Authority":
        key = ec.generate_private_key(ec.SECP256R1())
        subject = named("An authority for tests")
        builder = begun(subject, subject, key, DAY).add_extension(
            x509.BasicConstraints(True, None), critical=True
        )
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        signed = builder.add_extension(usage, critical=True).sign(key, hashes.SHA256())
        folder.mkdir(exist_ok=True)
        (folder / "authority.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        return cls(folder, key, signed)

    @property
    def file(self) -> Path:
        return self.folder / "authority.pem"

    def trust(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(self.file)
        return context

    def serving(self, name: str = NAME, ends: datetime.timedelta = DAY) -> ssl.SSLContext:
        """A server context whose certificate covers `name` and 127.0.0.1, and expires after `ends`."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName(name), x509.IPAddress(IPv4Address("127.0.0.1"))]
        builder = begun(named(name), self.certificate.subject, key, ends)
        signed = builder.add_extension(x509.SubjectAlternativeName(names), False).sign(
            self.key, hashes.SHA256()
        )
        file = self.folder / f"{name}-{ends.days}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + signed.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, ends: datetime.timedelta
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 10 * DAY)
        .not_valid_after(now + ends)
    )


def named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
