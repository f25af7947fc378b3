# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The digest of a build context. Equal contents give equal digests, on any control node."""

from __future__ import annotations

import hashlib
import os
import stat
import typing as t

from ..._core.failure import refuse_option
from . import ignore

VERSION = "1"
"""Version of this computation, which is part of the digest."""
_CHUNK = 1024 * 1024
_OTHER_IGNORE_FILES = (".containerignore", ".dockerignore")
"""Ends of names of ignore files that not all builders read."""


def digest(context: str, containerfile: str, build_args: t.Mapping[str, str], platform: str) -> str:
    """The SHA-256 of the names, permissions and contents of all files, and of the other inputs of the build.

    :raises Refused: for files that can't be read, and for devices, pipes and sockets.
    """
    found = hashlib.sha256()
    for part in (VERSION, platform, containerfile, *(each for item in sorted(build_args.items()) for each in item)):
        _add(found, part.encode())
    _add(found, _content(os.path.join(context, containerfile)))
    for record in _records(context, _ignored(context, containerfile)):
        for each in record:
            _add(found, each)
    return found.hexdigest()


def _add(found: t.Any, part: bytes) -> None:
    found.update(f"{len(part)}:".encode())
    found.update(part)


def _ignored(context: str, containerfile: str) -> ignore.Ignored:
    """The rules of ``.dockerignore``. With another ignore file, which only some builders read, no file is ignored."""
    places = {context, os.path.dirname(os.path.join(context, containerfile))}
    own = os.path.join(context, ignore.NAME)
    others = [os.path.join(place, name) for place in places for name in _names(place) if name.endswith(_OTHER_IGNORE_FILES)]
    if own not in others or set(others) != {own}:
        return ignore.Ignored()
    with _opened(own) as stream:
        return ignore.parsed(stream.read().decode(errors="replace"))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError as error:
        refuse_option("context", folder, "a folder that can be read", str(error.strerror))


def _records(context: str, ignored: ignore.Ignored, below: str = "") -> t.Iterator[tuple[bytes, ...]]:
    for name in sorted(_names(os.path.join(context, below))):
        path = f"{below}/{name}" if below else name
        whole = os.path.join(context, path)
        left_out = ignored(path)
        try:
            mode = os.lstat(whole).st_mode
        except OSError as error:
            refuse_option("context", whole, "files that can be read", str(error.strerror))
        if not left_out:
            yield _record(path, whole, mode)
        if stat.S_ISDIR(mode) and (not left_out or ignored.includes_again):
            yield from _records(context, ignored, path)


def _record(path: str, whole: str, mode: int) -> tuple[bytes, ...]:
    name, permissions = os.fsencode(path), oct(stat.S_IMODE(mode)).encode()
    if stat.S_ISLNK(mode):
        return b"link", name, os.fsencode(os.readlink(whole))
    if stat.S_ISDIR(mode):
        return b"folder", name, permissions
    if not stat.S_ISREG(mode):
        refuse_option("context", whole, "files, folders and symbolic links")
    return b"file", name, permissions, _content(whole)


def _content(path: str) -> bytes:
    """The SHA-256 of a file's content."""
    found = hashlib.sha256()
    with _opened(path) as stream:
        for chunk in iter(lambda: stream.read(_CHUNK), b""):
            found.update(chunk)
    return found.digest()


def _opened(path: str) -> t.BinaryIO:
    try:
        return open(path, "rb")
    except OSError as error:
        refuse_option("context", path, "files that can be read", str(error.strerror))
