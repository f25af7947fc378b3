# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The folder for saved states on the shared file system. Standard library only, Python 3.9 syntax.

Other users can write to this file system. So only those folders and files are read that no user but root and SlurmUser can write
to. All operations run as the folder's owner, because root has no rights on storage with root squash.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import pwd
import shutil
import stat
import typing as t

from ...._core.failure import Failure, Refused, not_allowed
from ... import child, files, mounts
from .model import Saved, Slurm

STATE, DATABASE, ABOUT = "state.tar", "accounting.sql", "about.json"
_SECONDS = 20.0
_SAVING, _SAVED, _BACK = "saving", "saved", "put-back"


class Untrusted(Failure):
    """Users other than root and SlurmUser can write to the path."""


class Silent(Failure):
    """The file system does not respond."""


def is_shared(path: str) -> bool:
    mount = mounts.covering(mounts.read(), path)
    return mount is not None and mount.network


def exists(path: str) -> bool:
    """Whether the path exists on a shared file system.

    :raises Failure: if the file system does not respond.
    """
    try:
        return is_shared(path) and bool(child.run(lambda: os.path.lexists(path), timeout=_SECONDS))
    except child.Hung:
        raise _silent(path) from None


class Folder:
    """The folder of one cluster. ``user`` is SlurmUser, who may do everything on the cluster that root may do."""

    def __init__(self, path: str, user: str) -> None:
        self.path = path
        self._user = user

    def waiting(self) -> Saved | None:
        """The saved state that is not restored yet, or None.

        :raises Untrusted: if users other than root and SlurmUser can write to it.
        :raises Failure: if the file system does not respond.
        """
        if not is_shared(self.path):
            return None
        try:
            about = child.run(self._about, timeout=_SECONDS)
        except child.Hung:
            raise _silent(self.path) from None
        except child.ChildFailed as failed:
            raise Untrusted(f"{self.path} could not be read: {failed}") from None
        return None if about is None else Saved(about["id"], about["time"], Slurm(**about["slurm"]), about["digests"])

    def obstacle(self) -> str:
        """The reason why nothing can be saved here, checked without a write; empty if saving seems possible.

        :raises Failure: if the file system does not respond.
        """
        if not is_shared(self.path):
            return self._not_shared()
        try:
            return str(child.run(self._found_obstacle, timeout=_SECONDS))
        except child.Hung:
            raise _silent(self.path) from None
        except child.ChildFailed as failed:
            return f"{self.path}: {failed}"

    def begin(self) -> str:
        """Create an empty folder for the files of a new saved state.

        :raises Failure: if no private folder can be created.
        """
        if not is_shared(self.path):
            raise Refused(self._not_shared(), option="folder")
        account = pwd.getpwnam(self._user)
        path = os.path.join(self.path, _SAVING)
        try:
            with contextlib.suppress(PermissionError), _acting(account.pw_uid):
                os.makedirs(self.path, mode=0o700, exist_ok=True)
            if not os.path.isdir(self.path):
                os.makedirs(self.path, mode=0o700)
                os.chown(self.path, account.pw_uid, account.pw_gid)
            self._require_own(self.path)
            with self._acting():
                _drop(path)
                os.mkdir(path, 0o700)
        except OSError as error:
            raise Failure(self._closed(self.path, str(error.strerror))) from None
        return path

    def created(self, name: str) -> t.BinaryIO:
        """A new file of the saved state in progress, opened for writing."""
        with self._acting():
            path = os.path.join(self.path, _SAVING, name)
            return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w+b")

    def finish(self, saved: Saved) -> None:
        """Complete the saved state. It replaces the previous saved state of the same disk."""
        with self.created(ABOUT) as stream:
            stream.write(json.dumps(dataclasses.asdict(saved)).encode())
            settled(stream)
        with self._acting():
            _drop(os.path.join(self.path, _SAVED))
            os.rename(os.path.join(self.path, _SAVING), os.path.join(self.path, _SAVED))
            files.sync_directory(self.path)

    def source(self, name: str, digest: str) -> t.BinaryIO:
        """A file of the saved state, opened for reading.

        :raises Failure: if the file was changed after it was saved.
        """
        with self._acting():
            stream = self._opened(os.path.join(self.path, _SAVED, name))
        if _digest_of(stream) != digest:
            raise Failure(f"{self.path}/{_SAVED}/{name} was changed after it was saved: its checksum differs.")
        return stream

    def put_back(self) -> None:
        """Mark the saved state as restored. The last restored state is kept for inspection."""
        with self._acting():
            _drop(os.path.join(self.path, _BACK))
            os.rename(os.path.join(self.path, _SAVED), os.path.join(self.path, _BACK))

    def drop(self) -> None:
        """Remove the saved state, which is not needed."""
        if os.path.isdir(self.path):
            with self._acting():
                for name in (_SAVING, _SAVED):
                    _drop(os.path.join(self.path, name))

    def _found_obstacle(self) -> str:
        """Why nothing can be saved here; empty if it can. The writer is the owner of an existing folder, or else SlurmUser or root.

        Runs in a child.
        """
        path = self.path
        while not os.path.lexists(path):
            path = os.path.dirname(path)
        self._require_own(path)
        writers = [os.lstat(path).st_uid] if path == self.path else [pwd.getpwnam(self._user).pw_uid, 0]
        return "" if any(_may_write(path, uid) for uid in writers) else self._closed(path, "Permission denied")

    def _not_shared(self) -> str:
        return not_allowed(
            "folder", self.path, "a folder on a shared file system", "the update blanks the disk of the controller node"
        )

    def _closed(self, path: str, why: str) -> str:
        return f"{path}: {why}. Root or {self._user} must be able to write there."

    def _about(self) -> dict[str, t.Any] | None:
        """The description of the saved state; None if there is no saved state. Runs in a child as the folder's owner."""
        if not os.path.lexists(self.path):
            return None
        self._require_own(self.path)
        with self._acting():
            path = os.path.join(self.path, _SAVED)
            if not os.path.lexists(path):
                return None
            self._require_own(path)
            return t.cast("dict[str, t.Any]", json.loads(self._opened(os.path.join(path, ABOUT)).read()))

    def _acting(self) -> contextlib.AbstractContextManager[None]:
        return _acting(os.lstat(self.path).st_uid)

    def _opened(self, path: str) -> t.BinaryIO:
        stream = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
        self._require(path, os.fstat(stream.fileno()), stat.S_ISREG)
        return stream

    def _require_own(self, path: str) -> None:
        """Check all folders from ``path`` up to the mount point."""
        mount = mounts.covering(mounts.read(), path)
        while mount is not None and path != mount.path:
            self._require(path, os.lstat(path), stat.S_ISDIR)
            path = os.path.dirname(path)

    def _require(self, path: str, status: os.stat_result, kind: t.Callable[[int], bool]) -> None:
        owners = (0, pwd.getpwnam(self._user).pw_uid)
        if not kind(status.st_mode) or status.st_uid not in owners or status.st_mode & 0o022:
            raise Untrusted(f"{path} is not a file or folder that only root or {self._user} may write to.")


def _silent(path: str) -> Silent:
    return Silent(f"{path}: the file system did not respond within {_SECONDS:.0f} s.")


def settled(stream: t.BinaryIO) -> str:
    """Write the content to the disk, and return the file's SHA-256."""
    stream.flush()
    os.fsync(stream.fileno())
    return _digest_of(stream)


def _digest_of(stream: t.BinaryIO) -> str:
    """The SHA-256 of the whole file. The position is then at the start again."""
    stream.seek(0)
    digest = hashlib.sha256()
    while chunk := stream.read(1 << 20):
        digest.update(chunk)
    stream.seek(0)
    return digest.hexdigest()


@contextlib.contextmanager
def _acting(uid: int) -> t.Iterator[None]:
    """Access the file system as the owner of the folder."""
    if uid == os.geteuid():
        yield
        return
    group, groups = os.getegid(), os.getgroups()
    own = pwd.getpwuid(uid).pw_gid
    os.setgroups([own])
    os.setegid(own)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def _may_write(path: str, uid: int) -> bool:
    with _acting(uid):
        return os.access(path, os.W_OK | os.X_OK, effective_ids=True)


def _drop(path: str) -> None:
    if os.path.islink(path):
        os.unlink(path)
    elif os.path.lexists(path):
        shutil.rmtree(path)
