# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a file of authorized keys with sshd's rules (OpenSSH's sshkey_read and b64_pton), which are laxer than ours.

If sshd accepted a key that this code does not find, reports would omit the key, and removals would leave it in the file.
"""

from __future__ import annotations

import base64
import os
import re
import stat
import typing as t
from dataclasses import dataclass, replace

from .._core.text import lines_of, printable
from . import authorized_keys, key_options
from .public_key import PublicKey

LARGEST = 1 << 20
"""Maximum number of bytes that are read of a file; the rest is ignored."""
_BLANKS = re.compile(r"[ \t]+")
_SKIPPED = str.maketrans("", "", "\t\n\v\f\r ")
"""Characters that b64_pton skips anywhere in the base64 text."""
_TYPE = re.compile(r"[a-z0-9@.-]+")
_NAMED_LINES = 5

Key = dict[str, t.Any]


@dataclass(frozen=True)
class Found:
    keys: tuple[Key, ...] = ()
    remarks: tuple[str, ...] = ()
    """Sentences that explain why the file may have more keys than ``keys``."""


def read(path: str) -> Found:
    """The keys in ``path``. A symbolic link is followed, as sshd does. Empty if there is no regular file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return Found(remarks=_link(path))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return Found(remarks=_link(path))
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(LARGEST + 1)
    keys, strange = parse(content[:LARGEST].decode("utf-8", "replace"))
    remarks = list(_link(path))
    if len(content) > LARGEST:
        remarks.append(f"{path} was not read completely: it is larger than {LARGEST >> 20} MiB.")
    if strange:
        lines = ", ".join(str(number) for number in strange[:_NAMED_LINES])
        more = f" and {len(strange) - _NAMED_LINES} more" if len(strange) > _NAMED_LINES else ""
        plural = "s" if len(strange) > 1 else ""
        remarks.append(f"{path} may have more keys, because the text in line{plural} {lines}{more} was not recognized as a key.")
    return Found(tuple(keys), tuple(remarks))


def parse(text: str) -> tuple[list[Key], list[int]]:
    """All keys in ``text``, including keys that this collection would not write, and the numbers of lines without a key."""
    keys, strange = [], []
    for number, line in enumerate(lines_of(text), start=1):
        content = line.partition("\0")[0].lstrip(" \t")
        if not content.strip() or content.startswith("#"):
            continue
        key = _line(content)
        if key is None:
            strange.append(number)
        else:
            keys.append(key)
    return keys, strange


def _line(line: str) -> Key | None:
    """Parse a line as sshd does: first as a key, then as options with a key after them."""
    cut = 0
    key = _key(line)
    if key is None:
        cut = key_options.end(line)
        key = _key(line[cut:].lstrip(" \t"))
    if key is None:
        return None
    options, comment = line[:cut], printable(key.comment)
    entries = authorized_keys.read(f"{options} {key.line} {comment}".strip())
    if entries:
        return {**entries[0].to_result(), "options": printable(entries[0].options)}
    return {
        "type": key.algorithm,
        "fingerprint": key.fingerprint,
        "comment": comment.strip(),
        "options": printable(options),
        "expires": None,
    }


def _key(text: str) -> PublicKey | None:
    """The key, if ``text`` begins with a word that is followed by a key.

    The returned type is the one inside the key, because sshd also accepts names of signatures (rsa-sha2-512) as the first word.
    """
    words = _BLANKS.split(text, maxsplit=2)
    if len(words) < 2:
        return None
    try:
        key = PublicKey.of(base64.b64decode(words[1].translate(_SKIPPED), validate=True))
    except ValueError:
        return None
    return replace(key, comment=words[2] if len(words) > 2 else "") if _TYPE.fullmatch(key.algorithm) else None


def _link(path: str) -> tuple[str, ...]:
    if not os.path.islink(path):
        return ()
    return (f"{path} is a symbolic link to {printable(os.readlink(path))}. The keys are in that file.",)
