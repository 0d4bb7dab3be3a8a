"""Every class of addresses that are not public is refused, unless an allow-list permits it."""

from ipaddress import ip_address

import pytest

from instep.platform.core.outbound.allowed import AllowList, read_allow_list
from instep.platform.core.outbound.networks import is_metadata, is_public

PUBLIC = [
    "8.8.8.8",
    "1.0.0.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "::ffff:8.8.8.8",
    "2000::",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2a00:1450:4001:800::200e",
    "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
]
NOT_PUBLIC = {
    "this network": "0.0.0.0",
    "this network, further": "0.255.255.255",
    "private": "10.0.0.1",
    "private, second block": "172.16.0.1",
    "private, second block's end": "172.31.255.255",
    "private, third block": "192.168.255.255",
    "shared by a carrier": "100.64.0.1",
    "shared by a carrier, end": "100.127.255.255",
    "loopback": "127.0.0.1",
    "loopback, end": "127.255.255.255",
    "link-local": "169.254.1.1",
    "protocol assignments": "192.0.0.8",
    "documentation": "192.0.2.1",
    "documentation, second block": "198.51.100.1",
    "documentation, third block": "203.0.113.1",
    "6to4 relay": "192.88.99.1",
    "benchmarks": "198.19.255.255",
    "multicast": "224.0.0.1",
    "reserved": "240.0.0.1",
    "broadcast": "255.255.255.255",
    "v6 unspecified": "::",
    "v6 loopback": "::1",
    "v4-compatible": "::8.8.8.8",
    "v4-mapped private": "::ffff:10.0.0.1",
    "v4-mapped loopback": "::ffff:127.0.0.1",
    "v4-translated": "::ffff:0:8.8.8.8",
    "translated": "64:ff9b::8.8.8.8",
    "translated at home": "64:ff9b:1::1",
    "discard": "100::1",
    "Teredo": "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "v6 benchmarks": "2001:2::1",
    "v6 documentation": "2001:db8::1",
    "v6 documentation, second block": "3fff::1",
    "6to4": "2002:808:808::1",
    "segment routing": "5f00::1",
    "unique local": "fd00::1",
    "v6 link-local": "fe80::1",
    "site-local": "fec0::1",
    "v6 multicast": "ff02::1",
    "not given out": "4000::1",
}
METADATA = {
    "most clouds": "169.254.169.254",
    "containers of AWS": "169.254.170.2",
    "pods of AWS": "169.254.170.23",
    "Alibaba": "100.100.100.200",
    "Azure": "168.63.129.16",
    "Oracle": "192.0.0.192",
    "Tencent": "169.254.0.23",
    "AWS over v6": "fd00:ec2::254",
    "Google over v6": "fd20:ce::254",
    "OpenStack over v6": "fe80::a9fe:a9fe",
    "mapped": "::ffff:169.254.169.254",
    "compatible": "::169.254.169.254",
    "v4-translated": "::ffff:0:169.254.169.254",
    "translated": "64:ff9b::a9fe:a9fe",
    "translated at home": "64:ff9b:1::a9fe:a9fe",
    "6to4": "2002:a9fe:a9fe::1",
    "Teredo server": "2001:0:a9fe:a9fe:8000:63bf:3fff:fdd2",
    "Teredo client": "2001:0:4136:e378:8000:63bf:5601:5601",
}


@pytest.mark.parametrize("text", PUBLIC)
def test_an_address_of_the_internet_is_public(text: str) -> None:
    address = ip_address(text)

    assert is_public(address)
    assert AllowList().permits(address, "example.com")


@pytest.mark.parametrize("text", NOT_PUBLIC.values(), ids=NOT_PUBLIC)
def test_a_special_address_is_not_and_is_opened_by_name_or_network(text: str) -> None:
    address = ip_address(text)

    assert not is_public(address)
    assert not is_metadata(address)
    assert not read_allow_list("other.example,203.0.113.77").permits(address, "receiver")
    assert read_allow_list("receiver").permits(address, "receiver")
    assert read_allow_list("0.0.0.0/0,::/0").permits(address, "receiver")


@pytest.mark.parametrize("text", METADATA.values(), ids=METADATA)
def test_a_metadata_service_is_never_opened(text: str) -> None:
    address = ip_address(text)

    assert is_metadata(address)
    assert not is_public(address)
    assert not read_allow_list(f"receiver,{text},0.0.0.0/0,::/0").permits(address, "receiver")


def test_a_network_opens_its_addresses_also_when_they_are_mapped() -> None:
    allow = read_allow_list(" 10.0.0.0/8 ,, fd12::/16,")

    for text in ("10.1.2.3", "::ffff:10.1.2.3", "fd12::1"):
        assert allow.permits(ip_address(text), "receiver")
    for text in ("192.168.0.1", "fd13::1"):
        assert not allow.permits(ip_address(text), "receiver")


@pytest.mark.parametrize("entry", ["10.0.0.1/8", "10.0.0.0/33", "127.1", "a b", "http://a", "*.a", "a_b"])
def test_an_entry_that_is_neither_host_nor_network_is_named(entry: str) -> None:
    with pytest.raises(ValueError, match="neither a host"):
        read_allow_list(f"example.com,{entry}")
