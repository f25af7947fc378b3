# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Desired and observed accounts, as values."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field, replace

from ..._ssh.authorized_keys import Entry
from .. import mounts
from ..files import FileState

SUDOERS_FOLDER = "/etc/sudoers.d"
LONG_AGO = "1"
"""The expiry date that ``usermod --expiredate 1`` sets: 2 January 1970."""
IMAGE_ACCOUNTS = ("ubuntu", "ec2-user")
"""Accounts of HyperPod's images that may do everything with sudo."""


@dataclass(frozen=True)
class Group:
    name: str
    gid: int | None
    present: bool


@dataclass(frozen=True)
class User:
    """A user's entry. A field that is None is not declared, so the setting on the node is left unchanged."""

    name: str
    present: bool
    uid: int | None
    gid: int | None
    """Never None for a user with state present."""
    private_group: bool
    """Whether the GID is not declared or equals the UID. The primary group has the user's name, and is created with the user."""
    groups: tuple[str, ...] | None
    comment: str | None
    shell: str
    home: str
    authorized_keys: tuple[Entry, ...] | None
    sudo: tuple[str, ...] | None
    source: str = ""
    """File and line if the entry is from a users file. Such a file may declare neither sudo rules nor accounts that have rights."""
    former_uids: tuple[int, ...] = ()
    """For a user with state absent: UIDs that the account had on this node or on others."""


@dataclass(frozen=True)
class Desired:
    groups: tuple[Group, ...]
    users: tuple[User, ...]
    authorized_keys_dir: str
    shared_roots: tuple[str, ...]
    create_homes: bool
    home_mode: int
    operations_user: str
    connecting_user: str | None
    remove_home: bool
    spare_jobs: bool = False
    operations_key: str = ""
    """The public key of ``operations_user``; empty if the account's access is left unchanged."""
    problems: tuple[str, ...] = ()
    """Problems of the declaration itself, one sentence each."""

    @property
    def present_users(self) -> tuple[User, ...]:
        return tuple(user for user in self.users if user.present)

    @property
    def absent_users(self) -> tuple[User, ...]:
        return tuple(user for user in self.users if not user.present)

    def remembering(self, state: State) -> Desired:
        """This declaration, with the current UIDs of removed users as former UIDs. Reads after the removal need these UIDs."""

        def known(user: User) -> User:
            account = state.users.get(user.name)
            if user.present or account is None or account.uid in user.former_uids:
                return user
            return replace(user, former_uids=(*user.former_uids, account.uid))

        return replace(self, users=tuple(known(user) for user in self.users))

    def keys_path(self, name: str) -> str:
        return f"{self.authorized_keys_dir}/{name}"

    def sudoers_path(self, name: str) -> str:
        return f"{SUDOERS_FOLDER}/mlfleet-{name}"

    def shared_root(self, home: str) -> str | None:
        return next((root for root in self.shared_roots if mounts.below(home, root)), None)


@dataclass(frozen=True)
class Account:
    """A record of /etc/passwd. ``password`` is only its kind: ``none``, ``locked``, ``empty``, ``hash`` or ``missing``."""

    name: str
    uid: int
    gid: int
    comment: str
    home: str
    shell: str
    password: str
    expires: str = ""


@dataclass(frozen=True)
class LocalGroup:
    name: str
    gid: int
    members: tuple[str, ...]


@dataclass(frozen=True)
class Home:
    """``kind``: ``folder``, ``missing``, ``other`` (neither), ``unmounted`` (its storage is not mounted) or ``silent`` (its storage
    hangs).
    """

    kind: str
    owner: int | None = None
    parent: str = ""
    writer: str | None = None
    """Who can create the folder: ``user``, ``root``, or None."""


@dataclass(frozen=True)
class Leftovers:
    """What remains of a removed account in addition to its records."""

    processes: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    """The crontab, at jobs, and the file that keeps services running without a session."""
    jobs: tuple[int, ...] = ()
    """Processes of Slurm jobs. The run does not end these processes, and the account stays locked until they have ended."""
    uids: tuple[int, ...] = ()
    """The UIDs of ``processes``."""
    shown: tuple[str, ...] = ()
    """Each of ``processes`` as text for messages."""
    subordinate: tuple[str, ...] = ()
    """Lines of /etc/subuid and /etc/subgid."""


@dataclass(frozen=True)
class EarlierOperations:
    """A former operations account, with the access that ``node_access`` installed. The texts have only the lines that stay."""

    account: Account
    sudoers: str | None
    own: tuple[str, str] | None
    """Path and new text of the key file in the account's home."""
    managed: tuple[str, str]
    not_kept: tuple[str, ...] = ()
    """Lines of the managed file that other accounts could have written."""


@dataclass(frozen=True)
class OperationsAccess:
    """The access of the operations account on the node. None stands for a file that is missing or cannot be read."""

    account: Account
    home: FileState | None
    own_folder: FileState | None
    own: FileState | None
    """The key file in the account's home; ``own_folder`` is its folder."""
    managed: FileState | None
    rule: FileState | None


@dataclass(frozen=True)
class NameService:
    """Records of the name service that do not exist in the local files: IDs keyed by name, and names keyed by ID."""

    users: t.Mapping[str, int] = field(default_factory=dict)
    uids: t.Mapping[int, str] = field(default_factory=dict)
    groups: t.Mapping[str, int] = field(default_factory=dict)
    gids: t.Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    now: int
    users: t.Mapping[str, Account]
    groups: t.Mapping[str, LocalGroup]
    elsewhere: NameService = NameService()
    has_shadow: bool = True
    has_gshadow: bool = True
    authorized_keys_dir: tuple[str, int, int] | None = None
    """The folder's kind (``folder`` or ``other``), owner and mode; None if it does not exist."""
    key_files: tuple[str, ...] = ()
    """Names of the files in ``authorized_keys_dir``."""
    keys: t.Mapping[str, FileState] = field(default_factory=dict)
    sudoers: t.Mapping[str, FileState] = field(default_factory=dict)
    homes: t.Mapping[str, Home] = field(default_factory=dict)
    shells: t.Mapping[str, bool] = field(default_factory=dict)
    leftovers: t.Mapping[str, Leftovers] = field(default_factory=dict)
    leaving_homes: t.Mapping[str, str] = field(default_factory=dict)
    """Local homes that are removed with their owners, keyed by the owner's name; empty unless ``remove_home`` is set."""
    leaving_mounts: t.Mapping[str, str] = field(default_factory=dict)
    """Mount points inside ``leaving_homes``, keyed by the owner's name. A home that contains a mount point stays."""
    earlier_operations: tuple[EarlierOperations, ...] = ()
    operations: OperationsAccess | None = None
    """None if the declaration has no key, or if the account does not exist."""
    sudo_installed: bool = True
    sudo_errors: t.Mapping[str, str] = field(default_factory=dict)
    gate_expects: tuple[str, ...] = ()
    """Accounts that the node's readiness gate expects. If one is missing, the gate closes."""

    @property
    def keys_dir_open(self) -> bool:
        """Whether accounts other than root could create files in the folder of keys."""
        if self.authorized_keys_dir is None:
            return False
        _kind, owner, mode = self.authorized_keys_dir
        return owner != 0 or bool(mode & 0o022)

    def group_of(self, gid: int) -> LocalGroup | None:
        return next((group for group in self.groups.values() if group.gid == gid), None)

    def account_of(self, uid: int) -> Account | None:
        return next((account for account in self.users.values() if account.uid == uid), None)

    def held_by_jobs(self, name: str) -> bool:
        """Whether the account still has Slurm jobs here that must not be ended."""
        return name in self.leftovers and bool(self.leftovers[name].jobs)

    def groups_of(self, name: str) -> tuple[str, ...]:
        """The account's supplementary groups in the local file, sorted."""
        return tuple(sorted(group.name for group in self.groups.values() if name in group.members))


def sudoers_text(name: str, rules: t.Sequence[str]) -> str:
    """The text of an account's file in sudoers.d; empty if there are no rules, and then there is no file."""
    lines = [f"{name} {rule}\n" for rule in rules]
    return "# Managed by mlfleet.hyperpod.accounts; changes made here are lost.\n" + "".join(lines) if lines else ""
