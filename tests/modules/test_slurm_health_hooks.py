# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm_health_hooks on a controller, whose slurmctld reads slurm.conf again on reconfigure, and on other nodes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import typing as t
from pathlib import Path

import pytest
from simulated.bare_node import BareNode, answer
from simulated.shape import changes_once, one_shape, reads

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")
MODULE = "slurm_health_hooks"
HYPERPOD = "Prolog=/opt/slurm/etc/scripts/prolog.sh"
CONF = f"ClusterName=ml\nSlurmctldParameters=enable_configless\n{HYPERPOD}\nNodeName=n1 CPUs=2\n"
SCONTROL = """\
#!/usr/bin/env python3
import pathlib, shutil, sys
folder = pathlib.Path(__file__).parents[1]
conf, active = folder / "slurm/slurm.conf", folder / "active"
with (folder / "commands").open("a") as commands:
    commands.write(" ".join(sys.argv[1:]) + "\\n")
if sys.argv[1] == "reconfigure":
    if (folder / "refuses").exists() and "HealthCheckProgram" in conf.read_text():
        sys.exit("slurm_reconfigure error: Invalid argument")
    shutil.copy(conf, active)
    sys.exit()
found = {"SLURM_CONF": conf, "SLURM_VERSION": "24.11.5", "HealthCheckProgram": "(null)", "HealthCheckInterval": "0 sec"}
prologs = 0
for line in active.read_text().split("\\n"):
    name, _sign, value = line.partition("#")[0].strip().partition("=")
    if name == "Prolog":
        name, prologs = f"Prolog[{prologs}]", prologs + 1
    found[name] = value + " sec" if name == "HealthCheckInterval" else value
for name, value in found.items():
    print(f"{name:<24}= {value}")
"""
FIRST = """
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
system.SEARCH_PATH = {path!r}
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks import apply
apply._SETTLES_SECONDS = 0.1
"""


class Controller(BareNode):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for name in ("bin", "slurm"):
            (folder / name).mkdir()
        (folder / "bin/scontrol").write_text(SCONTROL)
        (folder / "bin/scontrol").chmod(0o755)
        self.conf = folder / "slurm/slurm.conf"
        self.is_configured(CONF)

    def is_configured(self, text: str) -> None:
        """Write slurm.conf, which slurmctld has read."""
        self.conf.write_text(text)
        self.conf.chmod(0o640)
        os.chown(self.conf, 65534, 65534)
        (self.folder / "active").write_text(text)

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        self._before = self.files()
        given = {"folder": f"{self.folder}/programs", "controller": True, **options, "_ansible_check_mode": check, "_ansible_diff": True}
        (self.folder / "commands").unlink(missing_ok=True)
        return answer(self.etc, module, given, first=FIRST.format(path=f"{self.folder}/bin:/usr/bin:/bin"))

    def commands(self) -> list[str]:
        return (self.folder / "commands").read_text().splitlines() if (self.folder / "commands").exists() else []

    def files(self) -> dict[str, str]:
        paths = [path for path in self.folder.rglob("*") if path.is_file() and path.name != "commands"]
        return {str(path.relative_to(self.folder)): _shown(path) for path in paths}


def _shown(path: Path) -> str:
    status = path.stat()
    return f"{status.st_uid} {status.st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"


@pytest.fixture
def controller(tmp_path_factory: pytest.TempPathFactory) -> Controller:
    return Controller(tmp_path_factory.mktemp("controller"))


def test_hooks_are_installed_and_removed(controller: Controller) -> None:
    made, removed = one_shape(controller, MODULE, present={"prolog": True}, absent={"state": "absent"})
    program = f"{controller.folder}/programs/slurm-health-check"
    expected = {"program": program, "slurm_conf": str(controller.conf), "health_check": True, "prolog": True}
    assert made["slurm_health_hooks"] == expected
    assert removed["slurm_health_hooks"] == {**expected, "program": "", "health_check": False, "prolog": False}
    assert controller.conf.read_text() == CONF and not list((controller.folder / "programs").iterdir())
    assert sorted(path.name for path in (controller.folder / "slurm").iterdir()) == ["slurm.conf"]


def test_slurm_is_reconfigured_once_and_its_file_keeps_owner_and_mode(controller: Controller) -> None:
    result = controller.run(MODULE, prolog=True, expected_gpus=8)
    assert controller.commands().count("reconfigure") == 1 and result["changed"]
    assert "HealthCheckProgram" in result["diff"]["after"]
    text = controller.conf.read_text()
    assert text.startswith(CONF) and text.count("# mlfleet.hyperpod\n") == 4
    status = controller.conf.stat()
    assert (status.st_uid, status.st_mode & 0o777) == (65534, 0o640)
    script = controller.folder / "slurm/mlfleet-hyperpod-prolog"
    assert script.stat().st_mode & 0o777 == 0o755
    settings = controller.folder / "programs/slurm-health.json"
    assert json.loads(settings.read_text())["expected_gpus"] == 8 and settings.stat().st_mode & 0o777 == 0o600
    reads(controller, MODULE, prolog=True, expected_gpus=8)
    assert "reconfigure" not in controller.commands()


def test_slurmd_can_start_the_installed_program(controller: Controller) -> None:
    controller.run(MODULE, controller=False, expected_gpus=8)
    (controller.folder / "programs/slurm-health.json").write_text("damaged")
    done = subprocess.run([f"{controller.folder}/programs/slurm-health-check", "prolog"], env={}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and "could not be assessed: JSONDecodeError" in done.stdout


def test_lines_are_restored_next_to_those_of_hyperpods_scripts(controller: Controller) -> None:
    controller.run(MODULE, prolog=True)
    rewritten = [line for line in controller.conf.read_text().split("\n") if not line.startswith("Prolog=")]
    controller.is_configured("\n".join([*rewritten[:-1], HYPERPOD, ""]))
    changes_once(controller, MODULE, prolog=True)
    text = controller.conf.read_text()
    assert HYPERPOD in text and text.endswith("Prolog=mlfleet-hyperpod-prolog # mlfleet.hyperpod\n")


def test_a_foreign_health_check_is_kept(controller: Controller) -> None:
    controller.is_configured(CONF + "HealthCheckProgram=/usr/sbin/nhc\n")
    result = controller.run(MODULE)
    assert result["failed"] and result["msg"] == (
        "health_check: Slurm already has HealthCheckProgram=/usr/sbin/nhc, and supports only one program. Remove that setting first."
    )
    assert controller.changes() == [] and "reconfigure" not in controller.commands()
    assert not controller.run(MODULE, state="absent")["changed"]


def test_lines_that_slurm_rejects_are_reverted(controller: Controller) -> None:
    (controller.folder / "refuses").touch()
    result = controller.run(MODULE)
    assert result["failed"] and "Slurm did not apply the new lines" in result["msg"] and "Invalid argument" in result["msg"], result
    assert controller.conf.read_text() == CONF
    assert [each["resource"].rpartition("/")[2] for each in result["changes"]] == ["slurm-health-check", "slurm-health.json"]
    assert controller.commands()[-1] == "reconfigure"


def test_a_run_that_was_killed_before_the_reconfiguration(controller: Controller) -> None:
    controller.run(MODULE)
    (controller.folder / "active").write_text(CONF)
    changes_once(controller, MODULE)
    assert "HealthCheckProgram" in (controller.folder / "active").read_text()


def test_other_nodes_need_no_slurm(controller: Controller) -> None:
    (controller.folder / "bin/scontrol").unlink()
    made, removed = one_shape(controller, MODULE, present={"controller": False}, absent={"controller": False, "state": "absent"})
    assert made["slurm_health_hooks"]["health_check"] is None and removed["slurm_health_hooks"]["program"] == ""
    result = controller.run(MODULE)
    assert result["failed"] and result["msg"] == "scontrol is not installed on this node."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": 5}, "interval: 5 is not allowed. Allowed: 60 to 3600."),
        ({"folder": "/"}, "folder: '/' is not allowed."),
        ({"folder": "/a/../b"}, "folder: '/a/../b' is not allowed."),
        ({"expected_gpus": -1}, "expected_gpus: -1 is not allowed."),
        ({"profile": {"settle_seconds": 0}}, "profile.settle_seconds: 0 is not allowed."),
    ],
)
def test_bad_input_is_refused(controller: Controller, options: dict[str, t.Any], message: str) -> None:
    result = controller.run(MODULE, **options)
    assert result["failed"] and result["msg"].startswith(message) and controller.changes() == [], result
