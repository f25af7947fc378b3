# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of slurmctld as several releases print it. tests/modules/test_slurm_health_hooks.py tests it with files."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.model import Running
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.observe import config, running, slurm
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system

NEW = """\
Configuration data as of 2026-11-25T17:00:00
HealthCheckInterval     = 240 sec
HealthCheckNodeState    = CYCLE,ANY
HealthCheckProgram      = /var/x/slurm-health-check
Prolog[0]               = /opt/slurm/etc/scripts/prolog.sh
Prolog[1]               = mlfleet-hyperpod-prolog
PrologEpilogTimeout     = 65534
PrologFlags             = Contain
SLURM_CONF              = /no/such/slurm.conf
SLURM_VERSION           = 24.11.5
SlurmctldParameters     = idle_on_node_suspend,enable_configless
"""
OLD = """\
HealthCheckInterval     = 0 sec
HealthCheckProgram      = (null)
Prolog                  = (null)
SLURM_CONF              = /etc/slurm/\x1b[31m
SLURM_VERSION           = 22.05.8
SlurmctldParameters     = (null)
"""


def set_config(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "SEARCH_PATH", f"{folder}:/usr/bin:/bin")
    (folder / "config").write_text(text)
    (folder / "scontrol").write_text(f'#!/bin/sh\n[ "$*" = "show config" ] && cat {folder}/config\n')
    (folder / "scontrol").chmod(0o755)


def test_numbered_prologs_of_a_newer_release_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_config(NEW, tmp_path, monkeypatch)
    prologs = ("/opt/slurm/etc/scripts/prolog.sh", "mlfleet-hyperpod-prolog")
    assert running(config()) == Running((24, 11), configless=True, health_check=("/var/x/slurm-health-check", "240"), prologs=prologs)


def test_an_older_release_without_hooks_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_config(OLD, tmp_path, monkeypatch)
    assert running(config()) == Running((22, 5), configless=False, health_check=("", "0"), prologs=())
    assert running({}) == Running((0, 0), configless=False, health_check=("", ""), prologs=())


@pytest.mark.parametrize(("text", "path"), [(NEW, "/no/such/slurm.conf"), (OLD, r"/etc/slurm/\?\[31m")])
def test_a_missing_configuration_file_is_a_failure(text: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_config(text, tmp_path, monkeypatch)
    with pytest.raises(Failure, match=f"the configuration file {path}, but this node has no such file"):
        slurm()
