# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Slurm's daemons say of themselves."""

from __future__ import annotations

import dataclasses
import typing as t
from pathlib import Path
from types import SimpleNamespace

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import mounts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state import mark, observe as observed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.folder import Folder, Silent
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.model import (
    RESTORED,
    SAVED,
    Desired,
    Slurm,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed

from .test_folder import USER, saved_in

CONTROLLER = """\
Configuration data as of 2026-11-24T01:02:03
AccountingStorageHost   = {accounts}
AccountingStorageType   = accounting_storage/slurmdbd
SlurmUser               = slurm(64030)
StateSaveLocation       = {location}

Slurmctld(primary) at ip-10-1-1-11 is UP
"""
DATABASE = """\
SlurmDBD configuration:
StorageHost            = {host}
StorageLoc             = slurm_acct_db
StorageType            = accounting_storage/mysql
"""
HERE, ELSEWHERE = "127.0.0.1", "192.0.2.7"  # TEST-NET: nobody has it


def answers(monkeypatch: pytest.MonkeyPatch, *, accounts: str = HERE, location: str = "/var/spool/slurmctld", host: str = HERE) -> None:
    told = {"scontrol": CONTROLLER.format(accounts=accounts, location=location), "sacctmgr": DATABASE.format(host=host)}
    monkeypatch.setattr(observed, "run", lambda argv, **_kind: SimpleNamespace(stdout=told[argv[0]], returncode=0))
    monkeypatch.setattr(mounts, "read", lambda: (mounts.Mount("/", "ext4"), mounts.Mount("/fsx", "lustre")))


def test_state_and_accounts_on_the_controllers_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch)
    assert observed.asked() == Slurm("/var/spool/slurmctld", "slurm", "slurm_acct_db")


def test_what_outlives_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, location="/fsx/slurm/state", host=ELSEWHERE)
    assert observed.asked() == Slurm("", "slurm", "")
    answers(monkeypatch, accounts=ELSEWHERE)
    assert observed.asked() == Slurm("/var/spool/slurmctld", "slurm", "")


def test_a_slurm_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(argv: list[str], **_kind: object) -> None:
        raise CommandFailed(argv[0])

    monkeypatch.setattr(observed, "run", fails)
    assert observed.asked() is None


def test_a_name_that_nobody_has_is_elsewhere() -> None:
    assert observed.is_here("localhost") and not observed.is_here(ELSEWHERE) and not observed.is_here("no.such.invalid")


def test_a_file_system_that_hangs_is_told_and_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(path: str) -> bool:
        raise Silent(f"{path} hangs")

    monkeypatch.setattr(observed, "exists", hangs)
    assert observed.observe(Desired(RESTORED, "/fsx/a", 60)).unseen == "/fsx/a hangs"


def test_settings_are_lines_with_a_sign() -> None:
    assert observed.parse_settings("A = 1\nB=x=y\nno sign\n\nC   =\n") == {"A": "1", "B": "x=y", "C": ""}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("StateSaveLocation = /var/spool/slurmctld\n", Slurm("/var/spool/slurmctld", "slurm", "")),
        ("SlurmUser = ops(7)\n", Slurm("", "ops", "")),
        (f"AccountingStorageType = accounting_storage/none\nAccountingStorageHost = {HERE}\n", Slurm()),
        (f"AccountingStorageType = accounting_storage/slurmdbd\nAccountingStorageHost = {HERE}\n", Slurm(database="slurm_acct_db")),
        ("AccountingStorageType = accounting_storage/slurmdbd\n", Slurm()),
    ],
)
def test_settings_that_are_absent(settings: str, expected: Slurm, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"scontrol": settings, "sacctmgr": DATABASE.format(host=HERE)}
    monkeypatch.setattr(observed, "run", lambda argv, **_kind: SimpleNamespace(stdout=told[argv[0]], returncode=0))
    monkeypatch.setattr(mounts, "read", lambda: (mounts.Mount("/", "ext4"),))
    assert observed.asked() == expected


def test_the_commands_that_ask_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"scontrol": CONTROLLER.format(accounts=HERE, location="/var/spool"), "sacctmgr": DATABASE.format(host=HERE)}
    sent: list[t.Any] = []

    def run(argv: list[str], **kind: t.Any) -> t.Any:
        sent.append((argv, kind))
        return SimpleNamespace(stdout=told[argv[0]], returncode=0)

    monkeypatch.setattr(observed, "run", run)
    observed.asked()
    assert sent == [(["scontrol", "show", "config"], {"timeout": 60}), (["sacctmgr", "show", "config"], {"timeout": 60})]


@pytest.mark.parametrize(("status", "active"), [(0, True), (3, False), (4, False)])
def test_whether_a_unit_is_active(status: int, active: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[t.Any] = []

    def run(argv: list[str], **kind: t.Any) -> t.Any:
        sent.append((argv, kind))
        return SimpleNamespace(returncode=status)

    monkeypatch.setattr(observed, "run", run)
    assert observed.is_active(observed.SLURMCTLD) is active
    assert sent == [(["systemctl", "is-active", "--quiet", "slurmctld.service"], {"check": False})]
    assert observed.SLURMDBD == "slurmdbd.service"


@pytest.fixture
def folder(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setattr(mark, "PATH", str(tmp_path / "mark"))
    return Folder(str(shared / "slurm" / "ml"), USER)


def node(monkeypatch: pytest.MonkeyPatch, *, answers: bool = True, active: bool = False, marked: str = "") -> None:
    """A controller whose state is on its own disk, and whose SlurmUser owns the folder."""

    def run(argv: list[str], **_kind: object) -> t.Any:
        if argv[0] == "systemctl":
            return SimpleNamespace(returncode=0 if active else 3)
        if not answers:
            raise CommandFailed(argv[0])
        return SimpleNamespace(stdout=f"SlurmUser = {USER}(1)\nStateSaveLocation = /var/spool/slurmctld\n")

    monkeypatch.setattr(observed, "run", run)
    if marked:
        mark.write(marked)


OURS = Slurm("/var/spool/slurmctld", USER, "")


@pytest.mark.parametrize(("active", "marked"), [(True, ""), (False, ""), (True, "a1"), (False, "a1")])
@pytest.mark.parametrize("waits", [True, False])
def test_what_is_seen(active: bool, marked: str, waits: bool, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    node(monkeypatch, active=active, marked=marked)
    saved = saved_in(folder) if waits else None
    assert observed.observe(Desired(SAVED, folder.path, 60)) == State(OURS, saved, marked, running=active)
    expected = State(OURS if waits else None, saved, marked, running=active or not marked)
    assert observed.observe(Desired(RESTORED, folder.path, 60)) == expected


def test_a_state_to_save_that_has_no_place(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    node(monkeypatch, active=True)
    monkeypatch.setattr(mounts, "read", lambda: (mounts.Mount("/", "ext4"),))
    found = observed.observe(Desired(SAVED, folder.path, 60))
    assert dataclasses.replace(found, obstacle="") == State(OURS, None, "", running=True) and "on a shared file system" in found.obstacle


def test_a_silent_slurm_and_a_folder_of_strangers(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    saved_in(folder)
    node(monkeypatch, answers=False)
    found = observed.observe(Desired(RESTORED, folder.path, 60))
    assert (found.slurm, found.saved, found.running) == (None, None, True) and found.remark, "SlurmUser is not known"
    node(monkeypatch)
    Path(folder.path).chmod(0o777)
    found = observed.observe(Desired(RESTORED, folder.path, 60))
    assert (found.slurm, found.saved, found.unseen) == (None, None, "") and f"only root or {USER} may write to" in found.remark


def test_the_folder_is_slurm_users() -> None:
    assert observed.user_of(None) == "slurm" and observed.user_of(dataclasses.replace(OURS, user="other")) == "other"
