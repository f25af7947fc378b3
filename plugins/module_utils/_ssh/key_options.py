# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Options in front of a key in authorized_keys; see sshd(8)."""

from __future__ import annotations

FLAGS = frozenset(
    {
        "agent-forwarding",
        "cert-authority",
        "no-agent-forwarding",
        "no-port-forwarding",
        "no-pty",
        "no-touch-required",
        "no-user-rc",
        "no-x11-forwarding",
        "port-forwarding",
        "pty",
        "restrict",
        "user-rc",
        "verify-required",
        "x11-forwarding",
    }
)
VALUED = frozenset({"command", "environment", "from", "permitlisten", "permitopen", "principals", "tunnel"})


class BadOptions(ValueError):
    """The options are invalid. The text describes the problem."""


def check(text: str) -> None:
    """
    :raises BadOptions: if sshd would not accept ``text``. sshd ignores a line if one of its options is invalid.
    """
    for option in split(text):
        name, equals, value = option.partition("=")
        lowered = name.strip().lower()
        if name != name.strip():
            raise BadOptions("options must be separated by commas without spaces")
        if lowered == "expiry-time":
            raise BadOptions("set the expiry with the option expires")
        if lowered in FLAGS:
            if equals:
                raise BadOptions(f"the option {name} does not take a value")
        elif lowered in VALUED:
            if len(value) < 3 or value[0] != '"' or value[-1] != '"':
                raise BadOptions(f'the option {name} requires a value in double quotes, as in {lowered}="..."')
        else:
            raise BadOptions(f"sshd supports the options {', '.join(sorted(FLAGS | VALUED))}")


def split(text: str) -> list[str]:
    """The individual options of a comma-separated list. Commas in double quotes do not separate options."""
    parts, start, quoted, position = [], 0, False, 0
    while position < len(text):
        char = text[position]
        if quoted and text.startswith('\\"', position):
            position += 1
        elif char == '"':
            quoted = not quoted
        elif char == "," and not quoted:
            parts.append(text[start:position])
            start = position + 1
        position += 1
    if quoted:
        raise BadOptions("a closing double quote is missing")
    return [*parts, text[start:]]


def end(line: str) -> int:
    """The position after the options at the start of ``line``, which end at the first blank outside double quotes."""
    quoted, position = False, 0
    while position < len(line):
        if quoted and line.startswith('\\"', position):
            position += 1
        elif line[position] == '"':
            quoted = not quoted
        elif line[position] in " \t" and not quoted:
            return position
        position += 1
    return len(line)
