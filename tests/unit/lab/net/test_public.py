# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The public DNS of the lab's internet."""

from __future__ import annotations

import socket
import struct

import pytest
from lab.names import hosts_file
from lab.net import public

NAMES = {"lb.example": ["10.1.1.5", "10.1.2.5"], "*.cvpn.example": ["198.51.100.129"]}
AAAA = 28


def question(name: str, kind: int = public.A) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack("!HHHHHH", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, public.IN)


def resolve(name: str, kind: int = public.A) -> tuple[int, list[str]]:
    """Response code and addresses."""
    request = question(name, kind)
    reply = public.answer(request, NAMES)
    number, flags, _questions, count, *_rest = struct.unpack_from("!HHHHHH", reply)
    assert (number, flags & 0x8100) == (7, 0x8100)
    records = reply[len(request) :]
    assert len(records) == 16 * count
    return flags & 15, [socket.inet_ntoa(records[16 * n + 12 : 16 * n + 16]) for n in range(count)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lb.example", (0, ["10.1.1.5", "10.1.2.5"])),
        ("LB.Example", (0, ["10.1.1.5", "10.1.2.5"])),
        ("0a1b2c.cvpn.example", (0, ["198.51.100.129"])),
        ("cvpn.example", (public.NO_SUCH_NAME, [])),
        ("other.example", (public.NO_SUCH_NAME, [])),
    ],
)
def test_addresses(name: str, expected: tuple[int, list[str]]) -> None:
    assert resolve(name) == expected


def test_there_are_no_ipv6_addresses() -> None:
    assert resolve("lb.example", AAAA) == (0, [])


@pytest.mark.parametrize("message", [b"", b"\0" * 12, struct.pack("!HHHHHH", 7, 0x8000, 1, 0, 0, 0) + b"\0" * 5])
def test_invalid_messages_get_no_reply(message: bytes) -> None:
    with pytest.raises((ValueError, struct.error, IndexError)):
        public.answer(message, NAMES)


def test_hosts_files_omit_wildcards() -> None:
    text = hosts_file(NAMES)
    assert "10.1.1.5 lb.example" in text
    assert "cvpn" not in text
