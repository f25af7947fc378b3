# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Slurm's daemons say of themselves."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import mounts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state import observe as observed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.folder import Silent
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.model import RESTORED, Desired, Slurm
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed

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
