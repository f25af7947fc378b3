# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Is this node ready for people? Host keys, accounts and mounts against the expectations in a JSON file.

This file stands alone: ``readiness_gate`` also installs it on the node, where systemd runs it before the gate opens
after a boot. Standard library only, Python 3.9 syntax.
"""

# systemd runs this file as a program, without any module object.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import time
import typing as t

CONFIG = "/var/lib/mlfleet-hyperpod/ready.json"
SEARCH_PATH = "/usr/sbin:/sbin:/usr/bin:/bin"
_OCTAL = re.compile(r"\\([0-7]{3})")


def problems(config: t.Mapping[str, t.Any]) -> list[str]:
    """Everything that speaks against letting people in, as sentences."""
    return [
        *key_problems(config["host_keys"], presented_keys(timeout=5) if config["host_keys"] else {}),
        *certificate_problems(config.get("host_certificates", ()), now=time.time()),
        *user_problems(config["users"]),
        *mount_problems(config["mounts"], timeout=config["mount_timeout"]),
    ]


def key_problems(expected: t.Sequence[str], presented: t.Mapping[str, str] | None) -> t.Iterator[str]:
    """``expected`` are public key lines, ``presented`` what sshd shows: algorithm to base64."""
    if presented is None:
        yield "sshd does not answer on this node"
        return
    wanted = dict(line.split()[:2] for line in expected)
    for algorithm, key in wanted.items():
        if algorithm not in presented:
            yield f"sshd does not present a host key of type {algorithm}"
        elif presented[algorithm] != key:
            yield f"sshd presents another {algorithm} host key than expected"
    for algorithm in presented:
        if wanted and algorithm not in wanted:
            yield f"sshd presents a host key of type {algorithm}, which is not among the expected ones"


def certificate_problems(expected: t.Sequence[t.Mapping[str, t.Any]], *, now: float) -> t.Iterator[str]:
    """``expected`` are lines of certificates, and until when each is valid."""
    presented = (presented_keys(timeout=5, certificates=True) or {}) if expected else {}
    for entry in expected:
        algorithm, certificate = entry["line"].split()[:2]
        if algorithm not in presented:
            yield f"sshd does not present a certificate of type {algorithm}"
        elif presented[algorithm] != certificate:
            yield f"sshd presents another certificate of type {algorithm} than expected"
        if now >= entry["until"]:
            ended = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(entry["until"]))
            yield f"the host certificate of type {algorithm} has ended {ended}"


def presented_keys(*, timeout: int, certificates: bool = False) -> dict[str, str] | None:
    """The host keys that sshd on this node shows to a client, or their certificates; None when it does not answer."""
    port, address = _listen_address()
    kind = ["-c"] if certificates else []
    scan = _run(["ssh-keyscan", *kind, "-T", str(timeout), "-p", port, address], timeout=timeout * 6)
    return parse_scan(scan) or None


def parse_scan(text: str) -> dict[str, str]:
    """Algorithm to base64. A line is ``host algorithm key``; those of certificates have no host."""
    fields = [line.split()[-2:] for line in text.split("\n") if line and not line.startswith("#")]
    return {entry[0]: entry[1] for entry in fields if len(entry) == 2}


def user_problems(users: t.Sequence[t.Mapping[str, t.Any]]) -> t.Iterator[str]:
    for user in users:
        try:
            found = pwd.getpwnam(user["name"])
        except KeyError:
            yield f"user {user['name']} does not exist"
            continue
        if user.get("uid") is not None and found.pw_uid != user["uid"]:
            yield f"user {user['name']} has uid {found.pw_uid} instead of {user['uid']}"


def mount_problems(mounts: t.Sequence[str], *, timeout: int) -> t.Iterator[str]:
    for path in mounts:
        answer = _touch(path, timeout=timeout)
        if answer:
            yield f"{path}: {answer}"
        elif os.path.normpath(path) not in mounted_paths():
            yield f"{path} is not mounted"


def mounted_paths() -> set[str]:
    """Mount points with a file system of their own; an automounter's placeholder is none."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        return parse_mountinfo(file.read())


def parse_mountinfo(text: str) -> set[str]:
    """Users name mount points, too: the kernel writes blanks, line feeds and backslashes as octal, all else as it is."""
    found = set()
    for line in text.split("\n"):
        left, dash, right = line.partition(" - ")
        if dash and right.split(" ")[0] != "autofs":
            found.add(_OCTAL.sub(lambda match: chr(int(match.group(1), 8)), left.split(" ")[4]))
    return found


def _touch(path: str, *, timeout: int) -> str:
    """Ask the file system in a child: a dead FSx blocks the one who asks, and even a killed child can't be awaited."""
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", "import os, sys; os.statvfs(sys.argv[1])", path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return "" if child.wait(timeout=timeout) == 0 else "cannot be read"
    except subprocess.TimeoutExpired:
        child.kill()
        return f"does not answer within {timeout} s"


def _listen_address() -> tuple[str, str]:
    """Port and address where sshd can be asked from inside the node."""
    for line in _run(["sshd", "-T"], timeout=10).split("\n"):
        keyword, _space, value = line.partition(" ")
        if keyword.lower() == "listenaddress":
            address, _colon, port = value.rpartition(":")
            address = address.strip("[]")
            return port, {"0.0.0.0": "127.0.0.1", "::": "127.0.0.1"}.get(address, address)
    return "22", "127.0.0.1"


def _run(argv: t.Sequence[str], *, timeout: float) -> str:
    program = shutil.which(argv[0], path=SEARCH_PATH)
    if program is None:
        return ""
    try:
        return subprocess.run(
            [program, *argv[1:]], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False
        ).stdout
    except subprocess.TimeoutExpired:
        return ""


def main() -> int:
    with open(CONFIG, encoding="utf-8") as file:
        found = problems(json.load(file))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
