# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the configuration of Slurm's daemons. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import contextlib
import dataclasses
import socket

from ...._core.text import lines_of
from ...system import CommandFailed, run
from . import mark
from .folder import Folder, Silent, Untrusted, exists, is_shared
from .model import SAVED, Desired, Slurm, State

SLURMCTLD, SLURMDBD = "slurmctld.service", "slurmdbd.service"
_BY_SLURMDBD = "accounting_storage/slurmdbd"


def observe(desired: Desired) -> State:
    """The observed state. Slurm is queried only if the desired state may require a change."""
    here = mark.read()
    if desired.state == SAVED:
        slurm = asked()
        folder = Folder(desired.folder, user_of(slurm))
        return State(slurm, folder.waiting(), here, running=is_active(SLURMCTLD), obstacle=folder.obstacle())
    state = State(None, None, here, running=not here or is_active(SLURMCTLD))
    try:
        if not exists(desired.folder):
            return state
        slurm = None
        with contextlib.suppress(CommandFailed):
            slurm = asked()
        return dataclasses.replace(state, slurm=slurm, saved=Folder(desired.folder, user_of(slurm)).waiting())
    except Untrusted as untrusted:
        return dataclasses.replace(state, remark=str(untrusted))
    except Silent as silent:
        return dataclasses.replace(state, unseen=str(silent))


def user_of(slurm: Slurm | None) -> str:
    return (slurm or Slurm()).user


def asked() -> Slurm | None:
    """Slurm's state according to its configuration; None if slurmctld does not respond."""
    try:
        settings = parse_settings(run(["scontrol", "show", "config"], timeout=60).stdout)
    except CommandFailed:
        return None
    location = settings.get("StateSaveLocation", "")
    return Slurm(
        location="" if not location or is_shared(location) else location,
        user=settings.get("SlurmUser", Slurm.user).partition("(")[0],
        database=_database(settings),
    )


def parse_settings(text: str) -> dict[str, str]:
    """Parses lines NAME = VALUE."""
    pairs = (line.partition("=") for line in lines_of(text) if "=" in line)
    return {name.strip(): value.strip() for name, _sign, value in pairs}


def is_active(unit: str) -> bool:
    return run(["systemctl", "is-active", "--quiet", unit], check=False).returncode == 0


def _database(settings: dict[str, str]) -> str:
    """
    :raises CommandFailed: if slurmdbd runs here and does not respond, because its accounts would be lost.
    """
    if settings.get("AccountingStorageType") != _BY_SLURMDBD or not is_here(settings.get("AccountingStorageHost", "")):
        return ""
    of_slurmdbd = parse_settings(run(["sacctmgr", "show", "config"], timeout=60).stdout)
    return of_slurmdbd.get("StorageLoc", "") if is_here(of_slurmdbd.get("StorageHost", "")) else ""


def is_here(host: str) -> bool:
    """Whether ``host`` is this machine. Only then can a socket be bound to its address."""
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return any(_can_bind(family, address) for family, _type, _protocol, _name, address in found)


def _can_bind(family: int, address: tuple[object, ...]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        try:
            probe.bind(address)
        except OSError:
            return False
        return True
