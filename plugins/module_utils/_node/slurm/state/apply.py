# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Stops Slurm and saves its state, or restores the state and starts Slurm. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import shutil
import tarfile
import time
import typing as t
import uuid

from ...._core.failure import Failure
from ...._core.plan import Step
from ...system import SEARCH_PATH, CommandFailed, pipe, run
from . import mark
from .folder import DATABASE, STATE, Folder, settled
from .model import Desired, Saved, Slurm
from .observe import SLURMCTLD, SLURMDBD

_SERVICE_SECONDS = 300.0
_DUMPS = ("mariadb-dump", "mysqldump")
_CLIENTS = ("mariadb", "mysql")
_POLL_SECONDS = 1.0


class Applier:
    def __init__(self, desired: Desired) -> None:
        self._desired = desired

    def __call__(self, step: Step) -> None:
        getattr(self, "_" + step.operation)(**step.arguments)

    def _save(self, *, slurm: Slurm) -> None:
        """Slurm stays stopped, because later changes would be lost. The mark is written first, so that a killed run is noticed."""
        folder, saved_id = Folder(self._desired.folder, slurm.user), uuid.uuid4().hex
        folder.begin()
        mark.write(saved_id)
        try:
            self._stop(slurm)
            digests = {}
            if slurm.location:
                with folder.created(STATE) as stream:
                    with tarfile.open(fileobj=stream, mode="w") as archive:
                        archive.add(slurm.location, arcname=".")
                    digests[STATE] = settled(stream)
            if slurm.database:
                with folder.created(DATABASE) as stream:
                    dump = [_client(_DUMPS), "--single-transaction", "--quick", "--add-drop-database", "--databases"]
                    pipe([*dump, slurm.database], target=stream, timeout=self._desired.timeout)
                    digests[DATABASE] = settled(stream)
            when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            folder.finish(Saved(saved_id, when, slurm, digests))
        except BaseException:
            self._start(slurm=slurm)
            raise

    def _start(self, *, slurm: Slurm) -> None:
        """Undo ``_save`` on a disk that was not blanked: start Slurm again, and remove the saved state and the mark."""
        self._run_again(with_accounting=run(["systemctl", "is-enabled", "--quiet", SLURMDBD], check=False).returncode == 0)
        Folder(self._desired.folder, slurm.user).drop()
        mark.remove()

    def _restore(self, *, slurm: Slurm, saved: Saved) -> None:
        folder = Folder(self._desired.folder, slurm.user)
        self._stop(slurm)
        if DATABASE in saved.digests:
            with folder.source(DATABASE, saved.digests[DATABASE]) as stream:
                pipe([_client(_CLIENTS)], source=stream, timeout=self._desired.timeout)
        if STATE in saved.digests:
            with folder.source(STATE, saved.digests[STATE]) as stream:
                unpack(stream, slurm)
        self._run_again(with_accounting=bool(slurm.database))
        folder.put_back()

    def _stop(self, slurm: Slurm) -> None:
        run(["systemctl", "stop", SLURMCTLD], timeout=_SERVICE_SECONDS)
        if slurm.database:
            run(["systemctl", "stop", SLURMDBD], timeout=_SERVICE_SECONDS)

    def _run_again(self, *, with_accounting: bool) -> None:
        """Start Slurm. slurmctld starts last, because it reads accounts from slurmdbd, which may first upgrade the database."""
        deadline = time.monotonic() + self._desired.timeout
        if with_accounting:
            run(["systemctl", "start", SLURMDBD], timeout=_SERVICE_SECONDS)
            _until_answered(["sacctmgr", "--noheader", "show", "cluster"], deadline)
        run(["systemctl", "start", SLURMCTLD], timeout=_SERVICE_SECONDS)
        _until_answered(["scontrol", "show", "config"], deadline)


def _until_answered(argv: list[str], deadline: float) -> None:
    while run(argv, timeout=60, check=False).returncode != 0:
        if time.monotonic() > deadline:
            raise CommandFailed(f"{' '.join(argv)} has failed since Slurm was started. See Slurm's log on the controller node.")
        time.sleep(_POLL_SECONDS)


def unpack(stream: t.BinaryIO, slurm: Slurm) -> None:
    """Replace the files of the blank controller node with the plain files and folders of the archive. The name of slurmctld's user
    determines the new owner, because the user's UID may differ in a new image."""
    for entry in os.scandir(slurm.location):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
    with tarfile.open(fileobj=stream, mode="r") as archive:
        for member in archive:
            path = os.path.normpath(os.path.join(slurm.location, member.name))
            if path == slurm.location or not path.startswith(slurm.location + os.sep):
                continue
            if member.isdir():
                os.makedirs(path, mode=0o700, exist_ok=True)
            elif member.isfile():
                _write(archive, member, path)
            else:
                continue
            os.chmod(path, member.mode & 0o777)
            shutil.chown(path, slurm.user)


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> None:
    content = t.cast("t.IO[bytes]", archive.extractfile(member))
    with open(path, "wb") as out:
        shutil.copyfileobj(content, out)
        out.flush()
        os.fsync(out.fileno())


def _client(names: t.Sequence[str]) -> str:
    for name in names:
        if shutil.which(name, path=SEARCH_PATH):
            return name
    raise Failure(f"None of {', '.join(names)} is installed on this node. One of them is required for the accounting database.")
