# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a job from a file on the control node, without templating."""

from __future__ import annotations

import json
import os
import stat
import typing as t

from ..._core.failure import Refused, refuse_shown
from ..._core.json_text import NotJson, RepeatedKey, value_of
from ..._core.text import printable
from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import kind_named
from ..._kubernetes.yaml_text import LARGEST_TEXT, NotYaml, written


def text_of(option: str, path: str, *, largest: int) -> str:
    """
    :param option: the option with the path.
    :param largest: the maximum size, in bytes.
    :raises Refused: for anything but a readable text file.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                refuse_shown(option, path, "a file")
            content = file.read(largest + 1)
    except OSError as error:
        raise Refused(f"{option}: {path} can't be read: {error.strerror}.", option=option) from None
    if len(content) > largest:
        refuse_shown(option, path, f"a file of at most {largest // 1024} KiB", "it is larger")
    try:
        return content.decode()
    except UnicodeDecodeError:
        refuse_shown(option, path, "a file of text in UTF-8")


def _without_waiting(path: str, flags: int) -> int:
    """Open without blocking, because a pipe without a writer would block."""
    return os.open(path, flags | os.O_NONBLOCK)


def manifest_of(option: str, path: str) -> Object:
    """The only job in a file.

    :raises Refused: for a file that can't be read, or is not JSON or YAML with one object.
    """
    try:
        found = written(text_of(option, path, largest=LARGEST_TEXT), path)
    except NotJson as error:
        raise Refused(f"{option}: {path} can't be used: it is not JSON: {error}.", option=option) from None
    except NotYaml as error:
        raise Refused(f"{option}: {path} can't be used: {error}.", option=option) from None
    if len(found) > 1:
        refuse_shown(option, f"{path} with {', '.join(map(_kind, found))}", _split(found), f"it has {len(found)} documents")
    if len(found) != 1 or not isinstance(found[0], dict):
        shown = f"{path} with {_kind(found[0])}" if found else f"{path}, which is empty,"
        refuse_shown(option, shown, "a file with one job in JSON or YAML")
    try:
        return dict(value_of(json.dumps(found[0], allow_nan=False)))  # names are strings to Kubernetes
    except RepeatedKey as error:
        why = f"Kubernetes converts keys to strings, and then the file has the key {error.path} twice"
        raise Refused(f"{option}: {path} can't be used: {why}.", option=option) from None
    except NotJson as error:
        raise Refused(f"{option}: {path} can't be used: {error}.", option=option) from None
    except (TypeError, ValueError):
        refuse_shown(option, path, "YAML that JSON can express")


def _kind(document: t.Any) -> str:
    kind = document.get("kind") if isinstance(document, dict) else None
    return printable(kind)[:63] if isinstance(kind, str) and kind else "an object without a kind"


def _split(found: t.Sequence[t.Any]) -> str:
    jobs = [each for each in map(_kind, found) if kind_named(each)]
    alone = f"only the {jobs[0]}" if len(jobs) == 1 else "one job"
    return f"a file with {alone}; split the file, and create the rest with kubectl"
