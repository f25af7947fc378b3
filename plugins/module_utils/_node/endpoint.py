# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What SSH endpoints show to a client: banner, host keys, latency. Runs on the controller and on nodes.

Standard library, Python 3.9 syntax; paramiko is imported only where it is asked for.
"""

from __future__ import annotations

import socket
import time
import typing as t
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from .._core.text import lines_of
from .._ssh.keys import ALGORITHMS, BadKey, PublicKey, parse_public
from .system import CommandFailed, last_line, run

AGREES, DIFFERS, UNVERIFIED = "agrees", "differs", "unverified"


@dataclass(frozen=True)
class Endpoint:
    name: str
    host: str
    port: int
    expected: frozenset[PublicKey] = frozenset()
    """Keys and certificates that this one has to present, whatever the others do; empty for what all have to."""

    @property
    def shows_certificates(self) -> bool:
        return any(key.certifies for key in self.expected)


@dataclass(frozen=True)
class Sight:
    """One endpoint as seen: every distinct key over all attempts."""

    endpoint: Endpoint
    keys: frozenset[PublicKey]
    """And certificates, where it was asked for those, too."""
    banner: str
    latency_ms: float | None
    error: str

    @property
    def complete(self) -> bool:
        return bool(self.keys) and not self.error


class Unreachable(Exception):
    """The endpoint could not be looked at; the message says why."""


Fetch = t.Callable[[Endpoint, str, float], t.Optional[PublicKey]]
"""Endpoint, key type and timeout to the key of that type; None when the endpoint has none of it."""


def look(endpoint: Endpoint, *, types: t.Sequence[str], fetch: Fetch, timeout: float, attempts: int) -> Sight:
    keys: set[PublicKey] = set()
    banner, latencies, error = "", [], ""
    for _attempt in range(attempts):
        try:
            banner, latency = read_banner(endpoint, timeout=timeout)
            latencies.append(latency)
            found = [fetch(endpoint, key_type, timeout) for key_type in types]
            if endpoint.shows_certificates:
                found += [fetch_certificate(endpoint, key_type, timeout) for key_type in types]
            keys.update(key for key in found if key is not None)
            if not any(found):
                raise Unreachable(f"it presented no host key of type {', '.join(types)}")
        except (Unreachable, OSError) as problem:
            error = str(problem) or type(problem).__name__
    latency_ms = round(min(latencies) * 1000, 1) if latencies else None
    return Sight(endpoint, frozenset(keys), banner, latency_ms, error)


def look_at_all(
    endpoints: t.Sequence[Endpoint],
    *,
    types: t.Sequence[str],
    fetch: Fetch,
    timeout: float,
    attempts: int,
    threads: int,
) -> list[Sight]:
    with ThreadPoolExecutor(max_workers=threads) as pool:
        return list(
            pool.map(lambda one: look(one, types=types, fetch=fetch, timeout=timeout, attempts=attempts), endpoints)
        )


def verdict(sight: Sight, *, expected: t.AbstractSet[PublicKey], others: t.AbstractSet[PublicKey]) -> str:
    """The endpoint's own expectation, else ``expected`` where given, else the keys of all endpoints together, are what
    ``sight`` has to show exactly.

    A wrong key is a difference even if another attempt failed; a failed attempt alone leaves it unverified.
    """
    wanted = sight.endpoint.expected or expected or others
    if sight.keys - wanted or has_two_of_a_type(sight.keys):
        return DIFFERS
    if not sight.complete:
        return UNVERIFIED
    return AGREES if sight.keys == wanted and not has_two_of_a_type(wanted) else DIFFERS


def summary(sights: t.Sequence[Sight], *, expected: t.AbstractSet[PublicKey]) -> dict[str, t.Any]:
    union = frozenset(key for sight in sights for key in sight.keys)
    verdicts = [verdict(sight, expected=expected, others=union) for sight in sights]
    reached = [sight for sight in sights if sight.complete]
    everything = bool(sights) and len(reached) == len(sights)
    same = everything and len({sight.keys for sight in sights}) == 1 and not has_two_of_a_type(union)
    overall = DIFFERS if DIFFERS in verdicts else UNVERIFIED if UNVERIFIED in verdicts or not verdicts else AGREES
    return {
        "endpoints": [_describe(sight, word) for sight, word in zip(sights, verdicts)],
        "same_keys": same,
        "matches_expected": (overall == AGREES) if expected or any(sight.endpoint.expected for sight in sights) else None,
        "verdict": overall,
    }


def has_two_of_a_type(keys: t.AbstractSet[PublicKey]) -> bool:
    return len({key.algorithm for key in keys}) != len(keys)


def read_banner(endpoint: Endpoint, *, timeout: float) -> tuple[str, float]:
    """The server's first line, and the seconds until it came."""
    start = time.monotonic()
    with socket.create_connection((endpoint.host, endpoint.port), timeout=timeout) as connection:
        connection.settimeout(timeout)
        received = b""
        while b"\n" not in received and len(received) < 1024:
            chunk = connection.recv(256)
            if not chunk:
                break
            received += chunk
    text = received.decode("utf-8", "replace").strip()
    if not text.startswith("SSH-"):
        raise Unreachable(
            f"no SSH server answers there ({text[:80]!r})" if text else "the connection was closed at once"
        )
    return text, time.monotonic() - start


def fetch_by_keyscan(endpoint: Endpoint, key_type: str, timeout: float) -> PublicKey | None:
    return _keyscan(endpoint, key_type, timeout)


def fetch_certificate(endpoint: Endpoint, key_type: str, timeout: float) -> PublicKey | None:
    """paramiko knows no certificates of hosts."""
    return _keyscan(endpoint, key_type, timeout, "-c")


def _keyscan(endpoint: Endpoint, key_type: str, timeout: float, *options: str) -> PublicKey | None:
    seconds = str(max(1, round(timeout)))
    arguments = ["ssh-keyscan", *options, "-T", seconds, "-p", str(endpoint.port), "-t", key_type, endpoint.host]
    try:
        scan = run(arguments, timeout=timeout + 5, check=False)
    except CommandFailed as error:
        raise Unreachable(str(error)) from None
    for line in lines_of(scan.stdout):
        if line and not line.startswith("#"):
            return _public_key(" ".join(line.split()[-2:]))  # the lines of certificates have no host before them
    if "no hostkey alg" in scan.stderr or not last_line(scan.stderr).startswith(("write", "read", "Connection")):
        return None
    raise Unreachable(last_line(scan.stderr))


def fetch_by_paramiko(endpoint: Endpoint, key_type: str, timeout: float) -> PublicKey | None:
    """Shake hands offering only this type of key; no login is tried."""
    import paramiko  # pylint: disable=import-outside-toplevel

    connection = socket.create_connection((endpoint.host, endpoint.port), timeout=timeout)
    transport = paramiko.Transport(connection)
    try:
        transport.banner_timeout = timeout
        algorithms = ("rsa-sha2-512", "rsa-sha2-256") if key_type == "rsa" else ALGORITHMS[key_type]
        transport.get_security_options().key_types = algorithms
        transport.start_client(timeout=timeout)
        key = transport.get_remote_server_key()
        return _public_key(f"{key.get_name()} {key.get_base64()}")
    except paramiko.ssh_exception.IncompatiblePeer:
        return None
    except (paramiko.SSHException, EOFError) as error:
        raise Unreachable(str(error) or "the connection was closed at once") from None
    finally:
        transport.close()


def _public_key(text: str) -> PublicKey:
    try:
        return parse_public(text)
    except BadKey as error:
        raise Unreachable(f"it presented a damaged host key: {error}") from None


def _describe(sight: Sight, word: str) -> dict[str, t.Any]:
    return {
        "name": sight.endpoint.name,
        "host": sight.endpoint.host,
        "port": sight.endpoint.port,
        "reachable": sight.latency_ms is not None,
        "banner": sight.banner,
        "latency_ms": sight.latency_ms,
        "host_keys": [
            {"type": key.type, "public_key": key.line, "fingerprint": key.fingerprint}
            for key in sorted(sight.keys, key=lambda key: key.line)
            if not key.certifies
        ],
        "certificates": sorted(key.line for key in sight.keys if key.certifies),
        "verdict": word,
        "error": sight.error or None,
    }
