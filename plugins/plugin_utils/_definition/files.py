# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the files of a definition."""

from __future__ import annotations

import os
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.json_text import NotJson
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.yaml_text import LARGEST_TEXT, NotYaml, only, written


def read_object(option: str, path: str) -> dict[str, t.Any]:
    """The object in a JSON or YAML file. A file whose name ends with ``.json`` must be JSON.

    :raises Refused: if the file can't be read or has other content. The message names the option and the file.
    """
    place = os.path.expanduser(path)
    found = _value(option, place, _text(option, place))
    if not isinstance(found, dict):
        why = "it is empty" if found is None else f"it contains a {type(found).__name__}"
        refuse_option(option, path, "a file with one object of JSON or YAML", why)
    return found


def _text(option: str, place: str) -> str:
    try:
        with open(place, "rb") as stream:
            content = stream.read(LARGEST_TEXT + 1)
        if len(content) > LARGEST_TEXT:
            raise Refused(f"{option}: {place} can't be read: it is larger than {LARGEST_TEXT // 1024} KiB.", option=option)
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise Refused(f"{option}: {place} can't be read: {reason}.", option=option) from None


def _value(option: str, place: str, text: str) -> t.Any:
    try:
        return only(written(text, place))
    except NotJson as error:
        raise Refused(f"{option}: {place} is not JSON: {error}.", option=option) from None
    except NotYaml as error:
        raise Refused(f"{option}: {place} is neither JSON nor YAML: {error}.", option=option) from None


def files_below(option: str, path: str) -> list[str]:
    """The relative paths of the files in a folder and its subfolders.

    :raises Refused: if the path is not a folder, the folder is empty, or a file is a link to a place outside it.
    """
    root = os.path.realpath(os.path.expanduser(path))
    if not os.path.isdir(root):
        refuse_option(option, path, "a folder with scripts")
    found = sorted(
        os.path.relpath(os.path.join(folder, name), root) for folder, _folders, names in os.walk(root) for name in names
    )
    for name in found:
        if not os.path.realpath(os.path.join(root, name)).startswith(root + os.sep):
            refuse_option(option, name, "files inside the folder", "it is a link to a file outside of the folder")
    if not found:
        refuse_option(option, path, "a folder with scripts", "it is empty")
    return found
