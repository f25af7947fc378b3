# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Commit-confirm on the node: a change of sshd's files is kept only if a new login confirms it.

Before any file is replaced, the old files are saved, and a timer is started that restores them. The timer is enabled, so that
it also fires after a reboot. To keep or to restore the files, ``confirm`` and the timer's script must rename the same folder, so
exactly one of them succeeds. Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import typing as t
from dataclasses import replace

from ..._core.failure import Refused
from ..files import read_bytes, replace_file, restore_label, sync_directory
from ..gate import hold as gate_hold
from ..logins.own import current_login
from ..system import CommandFailed, run
from . import rollback as units, service as sshd_service
from .model import CONFIRMED, PENDING, ROLLED_BACK, ROLLING_BACK, UNKNOWN, ChangeStatus, FileWrite


def apply(files: t.Sequence[FileWrite], *, subject: str, confirm_timeout: int) -> ChangeStatus:
    """Start the rollback timer, replace the files and reload sshd. If sshd refuses the files, they are restored immediately."""
    unit = sshd_service.serving_unit()
    for file in files:
        if os.path.lexists(file.path) and (os.path.islink(file.path) or not os.path.isfile(file.path)):
            raise Refused(f"{file.path} is not a regular file and was not changed.")
    gate_hold.begin(seconds=confirm_timeout + gate_hold.SECONDS)
    status = _arm(files, unit=unit, subject=subject, confirm_timeout=confirm_timeout)
    try:
        for file in files:
            _install(file)
        sshd_service.sshd(["-t"])
        sshd_service.reload(unit)
    except (CommandFailed, OSError):
        roll_back_now()
        raise
    return status


def confirm(token: str, *, same_login_counts: bool = False) -> ChangeStatus:
    """Keep the pending change, if this process runs in a different login from the one that applied it."""
    status = look(token)
    if status.status != PENDING:
        return status
    login = current_login()
    if not same_login_counts and login and login.connection == _read_manifest(units.PENDING)["connection"]:
        return replace(status, note="the confirmation came through the connection that applied the change")
    claimed = os.path.join(units.FOLDER, "confirmed")
    shutil.rmtree(claimed, ignore_errors=True)
    try:
        os.rename(units.PENDING, claimed)
    except FileNotFoundError:
        return look(token)
    _write_outcome(status)
    units.disarm()
    shutil.rmtree(claimed)
    return ChangeStatus(CONFIRMED, token, status.subject, status.files)


def look(token: str) -> ChangeStatus:
    """The status of the change with this token."""
    for folder, state in ((units.PENDING, PENDING), (units.ROLLING, ROLLING_BACK)):
        found = _read_manifest(folder)
        if found and found["token"] == token:
            return ChangeStatus(state, token, found["subject"], tuple(found["files"]))
    outcome = _read_json(units.OUTCOME) or {}
    if outcome.get("token") == token:
        return ChangeStatus(outcome["status"], token, outcome["subject"], tuple(outcome["files"]))
    return ChangeStatus(UNKNOWN, token)


def unconfirmed() -> str:
    """The unconfirmed change of an earlier run, as text; empty if there is none."""
    for folder in (units.PENDING, units.ROLLING):
        found = _read_manifest(folder)
        if found:
            return f"{found['subject']} ({', '.join(found['files'])})"
    return ""


def roll_back_now() -> None:
    """Restore the saved files now, with the script that the timer runs."""
    run(["systemctl", "start", units.SERVICE], timeout=120)
    if unconfirmed():
        raise CommandFailed(f"The previous files of sshd could not be restored. See 'journalctl -u {units.SERVICE}'.")


def _arm(files: t.Sequence[FileWrite], *, unit: str, subject: str, confirm_timeout: int) -> ChangeStatus:
    os.makedirs(units.STATE_FOLDER, mode=0o700, exist_ok=True)
    os.makedirs(units.FOLDER, mode=0o700, exist_ok=True)
    staging = os.path.join(units.FOLDER, "staging")
    for leftover in (staging, os.path.join(units.FOLDER, "confirmed")):
        shutil.rmtree(leftover, ignore_errors=True)
    os.mkdir(staging, 0o700)
    index = []
    for number, file in enumerate(files):
        index.append(f"{_save(file.path, os.path.join(staging, str(number)))} {file.path}\n")
    login = current_login()
    status = ChangeStatus(PENDING, secrets.token_hex(8), subject, tuple(file.path for file in files))
    manifest = {**_record(status), "connection": login.connection if login else ""}
    rolled_back = {**_record(status), "status": ROLLED_BACK}
    for name, text in (
        ("files", "".join(index)),
        ("unit", unit),
        ("manifest.json", json.dumps(manifest)),
        ("outcome.json", json.dumps(rolled_back)),
    ):
        replace_file(os.path.join(staging, name), text.encode(), mode=0o600)
    units.install(confirm_timeout=confirm_timeout)
    os.rename(staging, units.PENDING)
    sync_directory(units.FOLDER)
    units.arm()
    return status


def _save(path: str, copy: str) -> str:
    """Copy ``path`` with owner and mode. Returns the entry for the index: the copy's name, or ``-`` if the file does not exist."""
    content = read_bytes(path)
    if content is None:
        return "-"
    found = os.stat(path)
    replace_file(copy, content, mode=found.st_mode & 0o7777, uid=found.st_uid, gid=found.st_gid)
    return os.path.basename(copy)


def _install(file: FileWrite) -> None:
    if file.content is None:
        if os.path.exists(file.path):
            os.unlink(file.path)
            sync_directory(os.path.dirname(file.path))
        return
    replace_file(file.path, file.content, mode=file.mode, uid=file.uid, gid=file.gid)
    restore_label(file.path)


def _record(status: ChangeStatus) -> dict[str, t.Any]:
    return {"token": status.token, "subject": status.subject, "files": list(status.files)}


def _write_outcome(status: ChangeStatus) -> None:
    outcome = {**_record(status), "status": CONFIRMED}
    replace_file(units.OUTCOME, json.dumps(outcome).encode(), mode=0o600)


def _read_manifest(folder: str) -> dict[str, t.Any]:
    path = os.path.join(folder, "manifest.json")
    found = _read_json(path)
    if found is None:
        raise CommandFailed(
            f"{path} is damaged, so it is unknown which files of sshd an earlier run changed. Restore the files from the copies "
            f"next to {path}, then remove {folder}."
        )
    return found


def _read_json(path: str) -> dict[str, t.Any] | None:
    """The object in a JSON file; empty if the file does not exist, None if it is damaged."""
    try:
        found = json.loads(read_bytes(path) or b"{}")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
