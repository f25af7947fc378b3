# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one run adds to the report store."""

from __future__ import annotations

import secrets
import typing as t

from ansible.parsing.dataloader import DataLoader
from ansible.utils.vars import load_extra_vars
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import Finding, pending
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable

from .documents import Report, documents, key_of_run
from .place import OPTION, PROFILE, Place, place
from .store import NotStored, store

OPTIONS = {OPTION: "report_store", PROFILE: "report_store_profile"}
"""The extra variables, and the callback's options that they replace."""
LARGEST = 8 << 20
"""The largest file that is stored, in characters."""
OF_THIS_RUN: dict[str, str] = {}
"""The options that the report callback has taken, by extra variable. Views run in the callback's process."""


def take(get_option: t.Callable[[str], t.Any]) -> None:
    """Take the options of the report store for this run. Extra variables take precedence.

    :param get_option: the function that returns an option of the report callback.
    """
    extra = load_extra_vars(DataLoader())
    OF_THIS_RUN.update({name: str(extra.get(name, get_option(option)) or "") for name, option in OPTIONS.items()})


def place_of_run() -> Place | None:
    """None without a report store, or without the callback.

    :raises Refused: for options that are not allowed.
    """
    return place(OF_THIS_RUN[OPTION], OF_THIS_RUN[PROFILE]) if OF_THIS_RUN else None


def add(report: Report, paths: t.Iterable[str]) -> tuple[str, list[Finding]]:
    """Store the report and the files that the run wrote, if this run has a report store.

    :returns: the address of the run's document, which is empty if it was not stored, and a finding for each part that was not.
    """
    try:
        where = place_of_run()
        if where is None:
            return "", []
        run_id, found, files = secrets.token_hex(8), [], {}
        for path in paths:
            try:
                files[path] = _content(path)
            except NotStored as error:
                found.append(_not_stored(f"A file of this run was not stored: {printable(str(error))}."))
        store(where, documents(report, run_id, files))
        return where.address(key_of_run(report, run_id)), found
    except Failure as error:
        return "", [_not_stored(f"The report of this run was not stored: {printable(str(error)).rstrip('.')}.")]


def _content(path: str) -> str:
    """:raises NotStored: if the file can't be read, or is too large."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(LARGEST + 1)
    except OSError as error:
        raise NotStored(f"{path}: {error.strerror or error}") from error
    if len(text) > LARGEST:
        raise NotStored(f"{path} has more than {LARGEST} characters")
    return text


def _not_stored(text: str) -> Finding:
    return pending(NotStored.code, text)
