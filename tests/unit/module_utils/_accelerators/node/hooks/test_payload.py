# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The archive runs alone. It contains all that it imports, and no code of the installer."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.options import SPEC
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks import payload


def test_the_program_runs_without_the_collection(tmp_path: Path) -> None:
    program = tmp_path / "slurm-health-check"
    program.write_bytes(payload.archive(sys.executable))
    program.chmod(0o755)
    (tmp_path / "slurm-health.json").write_text(json.dumps({**dict.fromkeys(SPEC), "expected_gpus": -1}))
    done = subprocess.run([str(program), "prolog"], env={}, cwd="/", capture_output=True, text=True, check=False)
    output = "The accelerators could not be assessed: Refused: expected_gpus: -1 is not allowed. Allowed: a number from 0.\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, output, "")


def test_the_archive_has_no_code_of_the_installer() -> None:
    names = zipfile.ZipFile(io.BytesIO(payload.archive("x"))).namelist()
    assert {"__main__.py", "mlfleet_hyperpod/_accelerators/node/health/judge.py"} <= set(names)
    assert not [name for name in names if name.endswith(("hooks/plan.py", "hooks/payload.py", "_core/converge.py"))]
