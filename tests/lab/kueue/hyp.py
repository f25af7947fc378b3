# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HyperPod's command line ``hyp``, installed from the machine's package index into the cache: ``python -m lab.kueue.hyp``.

It reports the caller's account, Region and exit status to AWS and cannot be configured otherwise; a lab has no internet access.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError, cache_folder

KIND = "hyp"
REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements" / "hyp.txt"
MAIN = "from sagemaker.hyperpod.cli.hyp_cli import cli; cli()"


def recipe_hash() -> str:
    """Hash of the version, of Python and of the machine's architecture."""
    recipe = (sys.version_info[:2], platform.machine(), REQUIREMENTS.read_text("utf-8"))
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """The folder with ``hyp``; it is installed first if the cache lacks it."""
    return debian.cached(KIND, recipe_hash(), lambda work, made: _install(work, made, progress), progress)


def installed() -> Path:
    """The same inside a lab, which reaches no package index.

    :raises LabError: if it is not installed.
    """
    found = cache_folder() / f"{KIND}-{recipe_hash()}"
    if not found.is_dir():
        raise LabError("hyp is not installed; make hyp, outside of the lab, installs it")
    return found


def create(
    name: str, *more: str, namespace: str, queue: str, instance_type: str, kubeconfig: Path
) -> subprocess.CompletedProcess[str]:
    """Submit a job of two pods, each on a whole node with eight GPUs.

    :param more: further options.
    :raises LabError: if it is not installed.
    """
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "PYTHONPATH": str(installed()), "NO_COLOR": "1"}
    job = ("--job-name", name, "--image", "registry.k8s.io/pause:3.10", "--namespace", namespace, "--instance-type", instance_type)
    where = ("--queue-name", queue, "--replica-count", "2", "--tasks-per-node", "8")
    argv = [sys.executable, "-c", MAIN, "create", "hyp-pytorch-job", "--version", "1.1", *job, *where, *more]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=300, check=False)


def _install(work: Path, made: Path, progress: Progress) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    with debian.phase(progress, "hyp: HyperPod's command line"):
        debian.command([*pip, "--target", str(made), "--requirement", str(REQUIREMENTS)], work / "install.log")


if __name__ == "__main__":
    try:
        print(ensure(lambda text: print(f"  {text}", flush=True)))
    except LabError as error:
        sys.exit(str(error))
