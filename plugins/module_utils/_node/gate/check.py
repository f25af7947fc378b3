# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks whether this node is ready for users: host keys, accounts, mounts and ports, against the expectations in a JSON file.

This file has no imports of the collection, because ``readiness_gate`` also installs it on the node, where the watcher runs it.
Standard library only, Python 3.9 syntax.
"""

# The watcher runs this file as a program, without a module object.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import threading
import time
import typing as t

CONFIG = "/var/lib/mlfleet-hyperpod/ready.json"
SEARCH_PATH = "/usr/sbin:/sbin:/usr/bin:/bin"
ENVIRONMENT = {"PATH": SEARCH_PATH, "LC_ALL": "C"}
"""The environment of all programs that this file starts."""
SILENT = "does not answer"
ASKS = "/run/mlfleet-hyperpod-asks-{}"
_OCTAL = re.compile(r"\\([0-7]{3})")
_NO_FOLDER = "Missing privilege separation directory: "


class Problem(t.NamedTuple):
    """A difference from the expectations."""

    code: str
    """The code of the finding."""
    text: str


def look(config: t.Mapping[str, t.Any], *, is_open: bool) -> dict[str, list[Problem]]:
    """The reasons against opening the gate (``problems``), and other differences (``warnings``).

    If the gate is open, the check connects to the login port. With ``silent_mounts=warn``, a file system that does not answer does
    not close an open gate, because it stalls all nodes alike. If the gate is closed, the check connects to port 22. The sshd there
    has read its files only once, but the login port reads them for each connection, so the files are checked as well.
    """
    settings, refused = ("", "") if is_open else sshd_settings(config["people_ports"][0])
    port, address = (str(config["people_ports"][0]), "127.0.0.1") if is_open else listen_address(settings)
    missing, silent = mount_problems(config["mounts"], timeout=config["mount_timeout"])
    tolerated = is_open and config["silent_mounts"] == "warn"
    return {
        "problems": [
            *_coded(
                "gate-host-keys",
                key_problems(
                    config["host_keys"],
                    presented_keys(port, address, config["key_types"]) if config["host_keys"] else {},
                ),
            ),
            *_coded(
                "gate-host-certificates",
                certificate_problems(
                    config.get("host_certificates", ()),
                    lambda: presented_keys(port, address, config["key_types"], certificates=True),
                    now=time.time(),
                ),
            ),
            *_coded("gate-sshd", [refused] if refused else file_problems(config, settings)),
            *_coded("gate-users", user_problems(config["users"])),
            *_coded("gate-mounts", [*missing, *([] if tolerated else silent)]),
            *_coded("gate-ports", port_problems([config["port"], config["people_ports"][0]])),
        ],
        "warnings": _coded("gate-mounts", silent if tolerated else []),
    }


def _coded(code: str, texts: t.Iterable[str]) -> list[Problem]:
    return [Problem(code, text) for text in texts]


def key_problems(expected: t.Sequence[str], presented: t.Mapping[str, str] | None) -> t.Iterator[str]:
    """
    :param expected: public key lines.
    :param presented: the keys that sshd presents, in base64, keyed by algorithm; None if sshd does not answer.
    """
    if presented is None:
        yield "sshd does not answer on this node"
        return
    wanted = dict(line.split()[:2] for line in expected)
    for algorithm, key in wanted.items():
        if algorithm not in presented:
            yield f"sshd presented no host key of type {algorithm}"
        elif presented[algorithm] != key:
            yield f"sshd presents an {algorithm} host key that differs from the expected one"
    for algorithm in presented:
        if wanted and algorithm not in wanted:
            yield f"sshd presents a host key of type {algorithm}, which is not among the expected ones"


def certificate_problems(
    expected: t.Sequence[t.Mapping[str, t.Any]], scan: t.Callable[[], t.Mapping[str, str] | None], *, now: float
) -> t.Iterator[str]:
    """
    :param expected: lines of certificates, each with the time until which it is valid.
    :param scan: returns the certificates that sshd presents.
    """
    presented = (scan() or {}) if expected else {}
    for entry in expected:
        algorithm, certificate = entry["line"].split()[:2]
        if algorithm not in presented:
            yield f"sshd presented no certificate of type {algorithm}"
        elif presented[algorithm] != certificate:
            yield f"sshd presents a certificate of type {algorithm} that differs from the expected one"
        if now >= entry["until"]:
            ended = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(entry["until"]))
            yield f"the host certificate of type {algorithm} expired at {ended}"


def file_problems(config: t.Mapping[str, t.Any], settings: str) -> t.Iterator[str]:
    """:param settings: output of ``sshd -T``; empty if the login port itself was checked."""
    if not settings:
        return
    derived = [_run(["ssh-keygen", "-y", "-P", "", "-f", path], timeout=10).split() for path in _values(settings, "hostkey")]
    wanted = [line.split()[0] for line in config["host_keys"]]
    # sshd presents the first key of each type.
    keys = {words[0]: words[1] for words in reversed(derived) if words and words[0] in wanted}
    for problem in key_problems(config["host_keys"], keys):
        yield f"with its current files, {problem}"
    certificates = [_read(path).split()[:2] for path in _values(settings, "hostcertificate")]
    for entry in config.get("host_certificates", ()):
        if entry["line"].split()[:2] not in certificates:
            yield f"with its current files, sshd does not present the expected certificate of type {entry['line'].split()[0]}"


def presented_keys(
    port: str, address: str, types: t.Iterable[str], *, certificates: bool = False
) -> dict[str, str] | None:
    """The host keys, or the certificates, that sshd on this node presents to a client; None if sshd does not answer."""
    kind = ["-c"] if certificates else []
    scan = _run(["ssh-keyscan", *kind, "-t", ",".join(types), "-T", "5", "-p", port, address], timeout=30)
    return parse_scan(scan) or None


def parse_scan(text: str) -> dict[str, str]:
    """Keys in base64, keyed by algorithm. A line is ``host algorithm key``; lines of certificates have no host."""
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
            yield f"user {user['name']} has UID {found.pw_uid} instead of {user['uid']}"


def mount_problems(mounts: t.Sequence[str], *, timeout: int) -> tuple[list[str], list[str]]:
    """Problems with file systems that are not mounted, and with those that do not answer. All are checked concurrently."""
    missing, silent = [], []
    answers: dict[str, str] = {}

    def ask(path: str) -> None:
        answers[path] = _touch(path, timeout=timeout)

    asking = [threading.Thread(target=ask, args=(path,)) for path in mounts]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    for path in mounts:
        answer = answers[path]
        if os.path.normpath(path) not in mounted_paths():
            missing.append(f"{path} is not mounted" if answer in ("", SILENT) else f"{path} {answer}")
        elif answer == SILENT:
            silent.append(f"{path} {answer} within {timeout} s")
        elif answer:
            missing.append(f"{path} {answer}")
    return missing, silent


def mounted_paths() -> set[str]:
    """Mount points of file systems, without the placeholders of an automounter."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        return parse_mountinfo(file.read())


def parse_mountinfo(text: str) -> set[str]:
    """The mount points in a text of the kernel, which writes blanks, line feeds and backslashes in the names as octal numbers."""
    found = set()
    for line in text.split("\n"):
        left, dash, right = line.partition(" - ")
        if dash and right.split(" ")[0] != "autofs":
            found.add(_OCTAL.sub(lambda match: chr(int(match.group(1), 8)), left.split(" ")[4]))
    return found


def _touch(path: str, *, timeout: float) -> str:
    """Access the file system in a child. A dead FSx file system blocks the process that accesses it, even after a SIGKILL.

    The child holds a lock while it exists. So only one child waits for a dead file system, instead of one more after each check.
    """
    name = ASKS.format(hashlib.sha256(os.fsencode(path)).hexdigest()[:16])
    lock = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    deadline = time.monotonic() + timeout
    try:
        if not _locked(lock, deadline=deadline):
            return SILENT
        child = subprocess.Popen(
            [sys.executable, "-I", "-c", "import os, sys; os.statvfs(sys.argv[1])", path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
            cwd="/",
            start_new_session=True,
            pass_fds=(lock,),
        )
    finally:
        os.close(lock)
    try:
        return "" if child.wait(timeout=max(1.0, deadline - time.monotonic())) == 0 else "cannot be read"
    except subprocess.TimeoutExpired:
        child.kill()
        return SILENT


def _locked(descriptor: int, *, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.05)


def port_problems(ports: t.Sequence[int], *, proc: str = "/proc") -> t.Iterator[str]:
    """Problems with ports on which users could listen, or on which a process other than a systemd socket unit listens."""
    with open(f"{proc}/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as file:
        first = int(file.read())
    for port in ports:
        if port >= first:
            yield (
                f"any user may listen on port {port}, because net.ipv4.ip_unprivileged_port_start is {first} "
                f"(set the sysctl to a number above {port})"
            )
        for uid, inode in listeners(port, proc=proc):
            if inode not in _sockets_of("1", proc=proc):
                yield f"port {port} is taken by {_holder(uid, inode, proc=proc)}"


def listeners(port: int, *, proc: str = "/proc") -> t.Iterator[tuple[int, str]]:
    """UID and inode of each socket that listens on the port, at any address."""
    for family in ("tcp", "tcp6"):
        try:
            with open(f"{proc}/net/{family}", encoding="ascii") as file:
                rows = [line.split() for line in file.read().split("\n")[1:] if line]
        except FileNotFoundError:
            continue
        for row in rows:
            if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port:
                yield int(row[7]), row[9]


def _holder(uid: int, inode: str, *, proc: str) -> str:
    try:
        owner = pwd.getpwuid(uid).pw_name
    except KeyError:
        owner = str(uid)
    for pid in filter(str.isdigit, os.listdir(proc)):
        if inode in _sockets_of(pid, proc=proc):
            return f"{_printable(_read(f'{proc}/{pid}/comm').rstrip())} (PID {pid}) of user {owner}"
    return f"a process of user {owner}"


def _sockets_of(pid: str, *, proc: str) -> set[str]:
    found = set()
    try:
        for name in os.listdir(f"{proc}/{pid}/fd"):
            try:
                found.add(os.readlink(f"{proc}/{pid}/fd/{name}"))
            except OSError:
                continue
    except OSError:
        return set()
    return {link[len("socket:[") : -1] for link in found if link.startswith("socket:[")}


def sshd_settings(port: int) -> tuple[str, str]:
    """Output of ``sshd -T`` for the current files and for connections to the port, or the reason why sshd refuses the files."""
    done = _done(["sshd", "-t"], timeout=10)
    folder = done.stderr.partition(_NO_FOLDER)[2].strip() if done else ""
    if folder:
        # With socket activation, /run/sshd exists only during a login.
        os.makedirs(folder, mode=0o755, exist_ok=True)
        done = _done(["sshd", "-t"], timeout=10)
    if done is None:
        return "", "sshd did not report whether it accepts its configuration"
    if done.returncode != 0:
        lines = [line for line in done.stderr.split("\n") if line.strip()]
        return "", f"sshd does not accept its configuration: {_printable(lines[-1]) if lines else 'no message'}"
    # Match blocks may use all of these.
    return _run(["sshd", "-T", "-C", f"user=nobody,host=127.0.0.1,addr=127.0.0.1,laddr=127.0.0.1,lport={port}"], timeout=10), ""


def listen_address(settings: str) -> tuple[str, str]:
    """Port and address at which sshd can be reached from the node itself."""
    for value in _values(settings, "listenaddress"):
        address, _colon, port = value.rpartition(":")
        address = address.strip("[]")
        return port, {"0.0.0.0": "127.0.0.1", "::": "127.0.0.1"}.get(address, address)
    return "22", "127.0.0.1"


def _values(settings: str, keyword: str) -> list[str]:
    pairs = (line.partition(" ") for line in settings.split("\n"))
    return [value for name, _space, value in pairs if name.lower() == keyword]


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
            return file.read()
    except OSError:
        return ""


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def _run(argv: t.Sequence[str], *, timeout: float) -> str:
    done = _done(argv, timeout=timeout)
    return done.stdout if done else ""


def _done(argv: t.Sequence[str], *, timeout: float) -> subprocess.CompletedProcess[str] | None:
    """The ended program; None if the program is missing or hangs."""
    program = shutil.which(argv[0], path=SEARCH_PATH)
    if program is None:
        return None
    try:
        return subprocess.run(
            [program, *argv[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=ENVIRONMENT,
            cwd="/",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None


def main() -> int:
    with open(CONFIG, encoding="utf-8") as file:
        found = look(json.load(file), is_open=sys.argv[1:] == ["open"])
    print(json.dumps(found))
    return 1 if found["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
