# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of Slurm's daemons, and the observed state."""

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
HERE, ELSEWHERE = "127.0.0.1", "192.0.2.7"  # TEST-NET: an address that is never in use


def answers(monkeypatch: pytest.MonkeyPatch, *, accounts: str = HERE, location: str = "/var/spool/slurmctld", host: str = HERE) -> None:
    outputs = {"scontrol": CONTROLLER.format(accounts=accounts, location=location), "sacctmgr": DATABASE.format(host=host)}
    monkeypatch.setattr(observed, "run", lambda argv, **_kind: SimpleNamespace(stdout=outputs[argv[0]], returncode=0))
    monkeypatch.setattr(mounts, "read", lambda: (mounts.Mount("/", "ext4"), mounts.Mount("/fsx", "lustre")))


def test_state_and_accounts_on_the_disk_of_the_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch)
    assert observed.asked() == Slurm("/var/spool/slurmctld", "slurm", "slurm_acct_db")


def test_state_and_accounts_elsewhere_are_not_local(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, location="/fsx/slurm/state", host=ELSEWHERE)
    assert observed.asked() == Slurm("", "slurm", "")
    answers(monkeypatch, accounts=ELSEWHERE)
    assert observed.asked() == Slurm("/var/spool/slurmctld", "slurm", "")


def test_a_slurm_that_does_not_answer_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(argv: list[str], **_kind: object) -> None:
        raise CommandFailed(argv[0])

    monkeypatch.setattr(observed, "run", fails)
    assert observed.asked() is None


def test_an_unknown_host_name_is_not_this_host() -> None:
    assert observed.is_here("localhost") and not observed.is_here(ELSEWHERE) and not observed.is_here("no.such.invalid")


def test_a_file_system_that_hangs_is_reported_and_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(path: str) -> bool:
        raise Silent(f"{path} hangs")

    monkeypatch.setattr(observed, "exists", hangs)
    assert observed.observe(Desired(RESTORED, "/fsx/a", 60)).unseen == "/fsx/a hangs"


def test_settings_are_lines_with_an_equals_sign() -> None:
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
def test_absent_settings_have_their_default(settings: str, expected: Slurm, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = {"scontrol": settings, "sacctmgr": DATABASE.format(host=HERE)}
    monkeypatch.setattr(observed, "run", lambda argv, **_kind: SimpleNamespace(stdout=outputs[argv[0]], returncode=0))
    monkeypatch.setattr(mounts, "read", lambda: (mounts.Mount("/", "ext4"),))
    assert observed.asked() == expected


def test_settings_are_read_with_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = {"scontrol": CONTROLLER.format(accounts=HERE, location="/var/spool"), "sacctmgr": DATABASE.format(host=HERE)}
    sent: list[t.Any] = []

    def run(argv: list[str], **kind: t.Any) -> t.Any:
        sent.append((argv, kind))
        return SimpleNamespace(stdout=outputs[argv[0]], returncode=0)

    monkeypatch.setattr(observed, "run", run)
    observed.asked()
    assert sent == [(["scontrol", "show", "config"], {"timeout": 60}), (["sacctmgr", "show", "config"], {"timeout": 60})]


@pytest.mark.parametrize(("status", "active"), [(0, True), (3, False), (4, False)])
def test_a_unit_is_active_if_systemctl_succeeds(status: int, active: bool, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_the_state_has_slurm_the_saved_state_and_the_mark(active: bool, marked: str, waits: bool, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    node(monkeypatch, active=active, marked=marked)
    saved = saved_in(folder) if waits else None
    assert observed.observe(Desired(SAVED, folder.path, 60)) == State(OURS, saved, marked, running=active)
    expected = State(OURS if waits else None, saved, marked, running=active or not marked)
    assert observed.observe(Desired(RESTORED, folder.path, 60)) == expected


def test_a_folder_on_a_local_disk_is_an_obstacle(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    node(monkeypatch, active=True)
    monkeypatch.setattr(mounts, "read", lambda: (mounts.Mount("/", "ext4"),))
    found = observed.observe(Desired(SAVED, folder.path, 60))
    assert dataclasses.replace(found, obstacle="") == State(OURS, None, "", running=True) and "on a shared file system" in found.obstacle


def test_an_untrusted_folder_is_a_remark(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    saved_in(folder)
    node(monkeypatch, answers=False)
    found = observed.observe(Desired(RESTORED, folder.path, 60))
    assert (found.slurm, found.saved, found.running) == (None, None, True) and found.remark, "SlurmUser is not known"
    node(monkeypatch)
    Path(folder.path).chmod(0o777)
    found = observed.observe(Desired(RESTORED, folder.path, 60))
    assert (found.slurm, found.saved, found.unseen) == (None, None, "") and f"only root or {USER} may write to" in found.remark


def test_the_folder_belongs_to_slurm_user() -> None:
    assert observed.user_of(None) == "slurm" and observed.user_of(dataclasses.replace(OURS, user="other")) == "other"
