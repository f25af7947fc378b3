# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`reconcile` as AWX runs it: ansible-runner inside the execution environment that `make ee` built, with AWS CLI 2.

The test enters the folder of the image by chroot; the lab's Python, collections and AWS CLI are not visible there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import typing as t
from pathlib import Path

import pytest
from harness import HOME, World
from lab.names import cache_folder

LAB = Path(__file__).resolve().parents[2] / "inventories/lab"
TREE = cache_folder() / "ee" / "tree"
ANSIBLE_CFG = """\
[defaults]
inventory = ../inventory
callbacks_enabled = mlfleet.hyperpod.report
inject_facts_as_vars = False
gathering = explicit
[inventory]
enable_plugins = mlfleet.hyperpod.hyperpod
any_unparsed_is_failed = True
[ssh_connection]
pipelining = True
"""
INVENTORY = "plugin: mlfleet.hyperpod.hyperpod\nprofile: lab\nregions: [us-west-2]\n"
ENTER = """
set -eu
upper=$(mktemp -d); mount -t tmpfs tmpfs "$upper"; mkdir "$upper/upper" "$upper/work" "$upper/root"
mount -t overlay overlay -o "lowerdir=$1,upperdir=$upper/upper,workdir=$upper/work" "$upper/root"
cd "$upper/root"; shift
for path in /proc /dev /run $BORROWED; do mkdir -p "./$path"; mount --rbind "$path" "./$path"; done
cp /etc/hosts ./etc/hosts
exec chroot . "$@"
"""


def in_image(*argv: str, tests: Path) -> subprocess.CompletedProcess[str]:
    """A command in the image, in the lab's network, with the lab's Session Manager plugin."""
    kept = ("HOME", "LAB_NAME", "LAB_STATE", *(name for name in os.environ if name.startswith("AWS_")))
    borrowed = [os.environ["HOME"], os.environ["LAB_STATE"], str(tests)]
    environment = {
        **{name: os.environ[name] for name in kept},
        "PATH": f"/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:{tests / 'lab/bin'}",
        "BORROWED": " ".join(borrowed),
        "LANG": "C.UTF-8",
    }
    enter = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, "sh", str(TREE), *argv]
    return subprocess.run(enter, env=environment, capture_output=True, text=True, timeout=600, check=False)


def job(folder: Path, playbook: str) -> Path:
    """A folder with the files that AWX writes for ansible-runner."""
    for name in ("project", "inventory", "env"):
        (folder / name).mkdir(parents=True)
    (folder / "project/ansible.cfg").write_text(ANSIBLE_CFG)
    play = f"- name: Run\n  ansible.builtin.import_playbook: mlfleet.hyperpod.{playbook}\n"
    (folder / "project/job.yml").write_text(play)
    (folder / "inventory/hyperpod.yml").write_text(INVENTORY)
    declared = folder / "inventory/group_vars/all"
    declared.mkdir(parents=True)
    shutil.copy(LAB / "group_vars/all.yml", declared / "lab.yml")
    shutil.copy(HOME / "inventory/group_vars/all.yml", declared / "own.yml")
    operations = HOME / ".ssh/id_ed25519"
    public = json.dumps(operations.with_suffix(".pub").read_text().strip())
    (declared / "key.yml").write_text(f"hyperpod_operations_public_key: {public}\n")
    shutil.copy(operations, folder / "env/ssh_key")  # the machine credential: ansible-runner gives it to an ssh-agent
    return folder


def events(folder: Path, kind: str) -> t.Iterator[dict[str, t.Any]]:
    for path in sorted(folder.glob("artifacts/*/job_events/*.json")):
        event = json.loads(path.read_text())
        if event["event"] == kind:
            yield event


@pytest.mark.slow
def test_reconcile_works_in_the_execution_environment(ready: World):
    assert TREE.exists(), "make ee builds the execution environment"
    tests = ready.paths.tests
    versions = in_image("sh", "-c", "aws --version; command -v aws; python3 -m pip list", tests=tests)
    assert versions.stdout.startswith("aws-cli/2.") and "\n/usr/bin/aws\n" in versions.stdout, versions
    assert "aiobotocore" not in versions.stdout

    ready.replace(ready.login_nodes()[0]["instance_id"])
    folder = job(HOME / "runner", "reconcile")
    done = in_image("ansible-runner", "run", str(folder), "--playbook", "job.yml", tests=tests)
    assert done.returncode == 0 and "HYPERPOD REPORT" in done.stdout, f"{done.stdout[-8000:]}{done.stderr[-2000:]}"
    artifact = next(events(folder, "playbook_on_stats"))["event_data"]["artifact_data"]["hyperpod"]
    report = done.stdout.partition("HYPERPOD REPORT")[2]
    assert artifact["clusters"]["ml"]["status"] == "changed", report
    ready.expect_all_serve()
