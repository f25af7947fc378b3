# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads sshd's configuration: included files in sshd's order, and the effective settings of a login.

sshd uses the first value that it reads for a setting, so an earlier file silently overrides a later one.
Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import shlex
import tempfile
import typing as t
from dataclasses import dataclass

from ..._core.failure import Refused
from ..._core.text import lines_of
from ..files import read_bytes
from . import service as sshd_service

MAIN = "/etc/ssh/sshd_config"
DROP_IN = "/etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf"


@dataclass(frozen=True)
class Directive:
    """One setting, with its file and line."""

    file: str
    line: int
    keyword: str
    value: str
    in_match: bool

    @property
    def place(self) -> str:
        return f"{self.file} line {self.line}"


@dataclass(frozen=True)
class Connection:
    """The parameters of a login for ``sshd -T -C``."""

    user: str
    address: str = "127.0.0.1"
    local_address: str = "127.0.0.1"
    local_port: str = "22"

    @property
    def specification(self) -> str:
        return (
            f"user={self.user},host={self.address},addr={self.address},"
            f"laddr={self.local_address},lport={self.local_port}"
        )


Effective = t.Mapping[str, tuple[str, ...]]
"""Values, keyed by keyword in lower case, as sshd prints them."""


def parse(text: str, *, file: str) -> list[Directive]:
    """The settings of one file, without those of included files."""
    found = []
    in_match = False
    for number, raw in enumerate(lines_of(text), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        keyword, value = (*re.split(r"\s*=\s*|\s+", line, maxsplit=1), "")[:2]
        if keyword.lower() == "match":
            in_match = value.lower() != "all"
        found.append(Directive(file, number, keyword.lower(), value, in_match))
    return found


def included(value: str) -> list[str]:
    """The files that ``Include value`` reads, in sshd's order: pattern by pattern."""
    files: list[str] = []
    for pattern in shlex.split(value):
        files.extend(sorted(glob.glob(os.path.join("/etc/ssh", pattern))))
    return files


def includes_drop_in(value: str, *, drop_in: str = DROP_IN) -> bool:
    """Whether ``Include value`` would read our drop-in if it existed."""
    return any(
        os.path.dirname(os.path.join("/etc/ssh", pattern)) == os.path.dirname(drop_in)
        and fnmatch.fnmatch(os.path.basename(drop_in), os.path.basename(pattern))
        for pattern in shlex.split(value)
    )


def compose(main: str, *, ours: str | None, drop_in: str = DROP_IN) -> str:
    """The text of the main file, with ``ours`` included in place of our drop-in. None: our drop-in is not included."""
    lines = lines_of(main)
    for directive in parse(main, file=MAIN):
        if directive.keyword == "include" and includes_drop_in(directive.value, drop_in=drop_in):
            files = sorted({*included(directive.value), drop_in})
            listed = [ours if file == drop_in else file for file in files]
            lines[directive.line - 1] = "\n".join(f'Include "{file}"' for file in listed if file)
    return "\n".join(lines) + "\n"


def check_include(main: str) -> None:
    """Refuse a main file that does not read drop-ins for all logins."""
    for directive in parse(main, file=MAIN):
        if directive.keyword == "include" and not directive.in_match and includes_drop_in(directive.value):
            return
    raise Refused(
        f"{MAIN} has no 'Include /etc/ssh/sshd_config.d/*.conf' outside a Match block, so sshd would not read "
        f"{DROP_IN}. Add that line before the other settings."
    )


def other_places(keyword: str, *, main: str) -> list[Directive]:
    """The places that set ``keyword`` outside our drop-in and outside Match blocks, in sshd's reading order."""
    found: list[Directive] = []
    for directive in parse(main, file=MAIN):
        if directive.keyword == "include" and not directive.in_match:
            for file in included(directive.value):
                text = (read_bytes(file) or b"").decode("utf-8", "replace") if file != DROP_IN else ""
                found.extend(inner for inner in parse(text, file=file) if inner.keyword == keyword)
        elif directive.keyword == keyword:
            found.append(directive)
    return [directive for directive in found if not directive.in_match]


def read_main() -> str:
    content = read_bytes(MAIN)
    if content is None:
        raise Refused(f"{MAIN} does not exist on this node. Install the OpenSSH server first.")
    return content.decode("utf-8", "replace")


def effective(main: str, *, ours: str | None, connection: Connection) -> Effective:
    """The effective settings for ``connection``.

    :param ours: the text of our drop-in; None for the settings without our drop-in.
    """
    with tempfile.TemporaryDirectory(dir="/run", prefix="mlfleet-sshd-") as folder:
        drop_in = None
        if ours is not None:
            drop_in = os.path.join(folder, "drop-in")
            with open(drop_in, "w", encoding="utf-8") as file:
                file.write(ours)
        composed = os.path.join(folder, "sshd_config")
        with open(composed, "w", encoding="utf-8") as file:
            file.write(compose(main, ours=drop_in))
        sshd_service.sshd(["-t", "-f", composed])
        return parse_effective(sshd_service.sshd(["-T", "-f", composed, "-C", connection.specification]).stdout)


def parse_effective(output: str) -> Effective:
    found: dict[str, tuple[str, ...]] = {}
    for line in lines_of(output):
        keyword, _space, value = line.strip().partition(" ")
        found[keyword.lower()] = (*found.get(keyword.lower(), ()), value)
    return found
