# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The home that a person left on shared storage: its keys, and whether it keeps its name.

All of it is read and changed as its owner, since root means nobody on storage that squashes it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import stat
import typing as t
from dataclasses import dataclass

from ..._core.failure import refuse_option
from ..._core.plan import Change, Plan, Step
from ..._core.text import printable
from ..._ssh import key_file
from .. import child, mounts
from . import homes as account_homes

REMOVE, ARCHIVE = "remove_file", "archive_home"
SUFFIX = ".offboarded"
_KEY_FILES = (".ssh/authorized_keys", ".ssh/authorized_keys2")
_SECONDS = 20.0
_WAITS = {
    "unmounted": "its storage is not mounted on this node",
    "silent": "its file system does not answer",
    "other": "it is no folder, or may not be looked at",
}


@dataclass(frozen=True)
class Desired:
    name: str
    uid: int
    gid: int
    home: str
    remove_keys: bool
    archive: bool
    shared_roots: tuple[str, ...]

    @property
    def archived(self) -> str:
        return self.home + SUFFIX

    @property
    def identity(self) -> child.Identity:
        return child.Identity(self.name, self.uid, self.gid)


@dataclass(frozen=True)
class State:
    """``kind``: folder, missing, archived (it has its other name), foreign, other, unmounted or silent."""

    kind: str
    path: str
    owner: int | None = None
    keys: t.Mapping[str, t.Sequence[t.Mapping[str, t.Any]]] = dataclasses.field(default_factory=dict)
    """By file that sshd would look into; also one without any key that could be read."""
    taken: bool = False
    """Something has the name already that the home would get."""
    remarks: t.Sequence[str] = ()
    """What may hide more keys than these, as sentences."""


def desired_from(params: t.Mapping[str, t.Any]) -> Desired:
    home, uid = params["home"], params["uid"]
    if not re.fullmatch(r"(/[^/\s:]+){2,}", home) or "/../" in f"{home}/" or "/./" in f"{home}/":
        refuse_option("home", home, "an absolute path at least two levels deep is, without blanks, ':' and '..'")
    if uid < 1000:
        refuse_option("uid", uid, "numbers from 1000 are, those below belong to the image")
    return Desired(
        name=params["name"],
        uid=uid,
        gid=uid if params["gid"] is None else params["gid"],
        home=home,
        remove_keys=params["keys"] == "remove",
        archive=params["archive"],
        shared_roots=tuple(params["shared_home_roots"]),
    )


def observe(desired: Desired) -> State:
    table = mounts.read()
    root = next((root for root in desired.shared_roots if mounts.below(desired.home, root)), None)
    if root is not None and not account_homes.mounted(root, table):
        return State("unmounted", desired.home)
    try:
        kind, path, owner, keys, taken, remarks = child.run(lambda: _look(desired), timeout=_SECONDS, identity=desired.identity)
    except child.Hung:
        return State("silent", desired.home)
    return State(kind, path, owner, keys, taken, tuple(remarks))


def plan(desired: Desired, state: State) -> Plan:
    steps, predicted = [], state
    if desired.remove_keys and state.keys:
        for path, keys in state.keys.items():
            shown = [f"{key['type']} {key['fingerprint']} {key['comment']}".strip() for key in keys]
            shown = shown or ["(no key could be read)"]
            steps.append(Step(REMOVE, {"path": path}, (Change("delete", f"key file {path}", None, shown, None),)))
        predicted = dataclasses.replace(predicted, keys={}, remarks=())
    if desired.archive and state.kind == "folder" and not state.taken:
        change = Change("update", f"home of {desired.name}", "path", desired.home, desired.archived)
        steps.append(Step(ARCHIVE, {}, (change,)))
        moved = {desired.archived + path[len(desired.home) :]: keys for path, keys in predicted.keys.items()}
        predicted = dataclasses.replace(predicted, kind="archived", path=desired.archived, keys=moved)
    return Plan(steps=tuple(steps), predicted=predicted)


def pending(desired: Desired, state: State) -> list[str]:
    if state.kind in _WAITS:
        return [f"The home {desired.home} of {desired.name} waits: {_WAITS[state.kind]}."]
    if desired.archive and state.kind == "folder" and state.taken:
        return [f"The home {desired.home} of {desired.name} waits: {desired.archived} exists already."]
    return []


def notes(desired: Desired, state: State) -> list[str]:
    sentences = [
        f"{path} keeps {len(keys)} keys of {desired.name}, which open nothing while the account is gone."
        for path, keys in state.keys.items()
        if keys
    ]
    sentences += state.remarks
    if state.kind == "foreign":
        sentences.append(f"{desired.home} belongs to UID {state.owner}, not {desired.uid} ({desired.name}), and stays.")
    return sentences


def to_result(state: State) -> dict[str, t.Any]:
    keys = [{"path": path, "keys": list(keys)} for path, keys in state.keys.items() if keys]
    return {"state": state.kind, "path": state.path, "authorized_keys": keys}


class Applier:
    def __init__(self, desired: Desired) -> None:
        self._desired = desired

    def apply(self, step: Step) -> None:
        getattr(self, "_" + step.operation)(**step.arguments)

    def _remove_file(self, *, path: str) -> None:
        def remove() -> None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

        child.run(remove, timeout=_SECONDS, identity=self._desired.identity)

    def _archive_home(self) -> None:
        """The owner closes the folder; the name changes whoever may write to the folder above, the owner or root."""
        child.run(self._close, timeout=_SECONDS, identity=self._desired.identity)
        try:
            child.run(self._rename, timeout=_SECONDS, identity=self._desired.identity)
        except child.ChildFailed:
            child.run(self._rename, timeout=_SECONDS)

    def _close(self) -> None:
        with self._unless_archived():
            os.chmod(self._desired.home, 0o700)

    def _rename(self) -> None:
        with self._unless_archived():
            os.rename(self._desired.home, self._desired.archived)

    @contextlib.contextmanager
    def _unless_archived(self) -> t.Iterator[None]:
        """Clusters that share the storage are worked on at the same time; another one may have been quicker."""
        try:
            yield
        except FileNotFoundError:
            if not os.path.lexists(self._desired.archived):
                raise


def _look(desired: Desired) -> list[t.Any]:
    home, archived = _status(desired.home), _status(desired.archived)
    taken = archived is not None
    if home is None:
        if archived is not None and archived.st_uid == desired.uid:
            return ["archived", desired.archived, desired.uid, *_key_files(desired.archived, taken)]
        return ["missing", desired.home, None, {}, taken, []]
    if not stat.S_ISDIR(home.st_mode):
        return ["other", desired.home, home.st_uid, {}, taken, []]
    if home.st_uid != desired.uid:
        return ["foreign", desired.home, home.st_uid, {}, taken, []]
    return ["folder", desired.home, home.st_uid, *_key_files(desired.home, taken)]


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _key_files(home: str, taken: bool) -> list[t.Any]:
    """The keys by file, ``taken``, and remarks. Where the folder of the files is a link, it stands for all of them: what
    lies behind it is somebody else's."""
    keys: dict[str, list[key_file.Key]] = {}
    remarks: list[str] = []
    for name in _KEY_FILES:
        path = os.path.join(home, name)
        try:
            found = key_file.read(path)
        except OSError as error:
            found = key_file.Found(remarks=(f"{path} was not read: {error.strerror}.",))
        folder = os.path.dirname(path)
        shown = folder if os.path.islink(folder) else path
        if shown == folder or _removable(shown):
            keys[shown] = [*keys.get(shown, ()), *found.keys]
        remarks += found.remarks
        if shown == folder:
            remarks.append(f"{folder} is a symbolic link to {printable(os.readlink(folder))}.")
    return [keys, taken, list(dict.fromkeys(remarks))]


def _removable(path: str) -> bool:
    """A file or a link. sshd reads nothing else."""
    status = _status(path)
    return status is not None and (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode))
