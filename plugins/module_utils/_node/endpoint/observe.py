# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Queries SSH endpoints as a client: banner, host keys and latency. Runs on the control node and on nodes.

Standard library only, Python 3.9 syntax. paramiko is imported only if requested.
"""

from __future__ import annotations

import socket
import time
import typing as t
from concurrent.futures import ThreadPoolExecutor

from ..._core.text import lines_of, printable
from ..._ssh.public_key import BadKey, PublicKey, signatures
from ..system import CommandFailed, run
from .model import Desired, Endpoint, ScanResult, State


class Unreachable(Exception):
    """The endpoint could not be queried. The message has the reason."""


Fetch = t.Callable[[Endpoint, str, float], t.Optional[PublicKey]]
"""A function of endpoint, key type and timeout. It returns the host key of that type, or None if the endpoint has none."""
AT_ONCE = 8
"""Maximum number of endpoints that are queried concurrently."""
_NO_MATCH = "debug1: kex: host key algorithm: (no match)"
"""Output of OpenSSH's ``kex.c`` since 6.8 if client and server have no algorithm in common."""


def observe(desired: Desired) -> State:
    fetch = fetch_by_paramiko if desired.via == "paramiko" else fetch_by_keyscan

    def one(endpoint: Endpoint) -> ScanResult:
        return scan(endpoint, types=desired.types, fetch=fetch, timeout=desired.timeout, attempts=desired.attempts)

    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        return tuple(pool.map(one, desired.endpoints))


def scan(endpoint: Endpoint, *, types: t.Sequence[str], fetch: Fetch, timeout: float, attempts: int) -> ScanResult:
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
    return ScanResult(endpoint, frozenset(keys), banner, latency_ms, error)


def read_banner(endpoint: Endpoint, *, timeout: float) -> tuple[str, float]:
    """The server's first line, and the number of seconds until it arrived."""
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
            f"the server that answered is not an SSH server ({text[:80]!r})" if text else "the connection was closed at once"
        )
    return text, time.monotonic() - start


def fetch_by_keyscan(endpoint: Endpoint, key_type: str, timeout: float) -> PublicKey | None:
    return _keyscan(endpoint, key_type, timeout)


def fetch_certificate(endpoint: Endpoint, key_type: str, timeout: float) -> PublicKey | None:
    """Uses ssh-keyscan, because paramiko does not support host certificates."""
    return _keyscan(endpoint, key_type, timeout, "-c")


def _keyscan(endpoint: Endpoint, key_type: str, timeout: float, *options: str) -> PublicKey | None:
    """The server's key; None if it has no key of the type. Without ``-v``, ``ssh-keyscan`` would not report such a missing key.

    :raises Unreachable: also for empty output, which proves nothing.
    """
    seconds = str(max(1, round(timeout)))
    arguments = ["ssh-keyscan", "-v", *options, "-T", seconds, "-p", str(endpoint.port), "-t", key_type, endpoint.host]
    try:
        answer = run(arguments, timeout=timeout + 5, check=False)
    except CommandFailed as error:
        raise Unreachable(str(error)) from None
    for line in lines_of(answer.stdout):
        if line and not line.startswith("#"):
            return _public_key(" ".join(line.split()[-2:]))  # lines of certificates do not begin with a host
    log = [line for line in lines_of(answer.stderr) if line]
    if any(line.startswith(_NO_MATCH) for line in log):
        return None
    errors = [line for line in log if not line.startswith(("#", "debug"))]
    unknown = f"it is unknown whether the server has a host key of type {key_type}"
    raise Unreachable(printable(errors[-1]) if errors else unknown)


def fetch_by_paramiko(endpoint: Endpoint, key_type: str, timeout: float) -> PublicKey | None:
    """Start a handshake that accepts only this type of key. No login is attempted."""
    import paramiko  # pylint: disable=import-outside-toplevel

    connection = socket.create_connection((endpoint.host, endpoint.port), timeout=timeout)
    transport = paramiko.Transport(connection)
    try:
        transport.banner_timeout = timeout
        transport.get_security_options().key_types = signatures(key_type)
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
        return PublicKey.parse(text)
    except BadKey as error:
        raise Unreachable(f"it presented a damaged host key: {error}") from None
