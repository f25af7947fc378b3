# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The home folder and environment of everything that runs inside the lab: keys, AWS profiles, prompt."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from lab import python
from lab.names import OTHER_ACCOUNT, PEOPLE, REGION, Paths, cache_folder

# Variables of the caller that must not reach the lab.
FOREIGN = ("AWS_", "ANSIBLE_", "BOTO", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSH_", "KUBE", "XDG_")

AWS_CONFIG = f"""\
[profile lab]
region = {REGION}
retry_mode = standard
max_attempts = 10

[profile other]
region = {REGION}
retry_mode = standard
max_attempts = 10
role_arn = arn:aws:iam::{OTHER_ACCOUNT}:role/lab
role_session_name = lab
source_profile = lab

[profile lab-admin]
region = {REGION}

[profile other-admin]
region = {REGION}
"""
AWS_CREDENTIALS = f"""\
[lab]
aws_access_key_id = AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY

[lab-admin]
aws_access_key_id = AKIAADMINEXAMPLE
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY

[other-admin]
aws_access_key_id = AKIAADMIN{OTHER_ACCOUNT}
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
"""
BASHRC = """\
PS1='(lab \\[\\e[1m\\]$LAB_NAME\\[\\e[0m\\]) \\W \\$ '
alias ll='ls -l'
[ -z "${LAB_GREETING-}" ] || { printf '%s\\n' "$LAB_GREETING"; unset LAB_GREETING; }
"""
GREETING = """\
You are inside the lab: AWS is simulated, the machines are real, nothing here reaches the internet.
  lab status                     nodes, addresses, states and targets
  lab replace-node NODE          replace a node as HyperPod does
  lab shell --node NODE          root on a node, past SSH
  lab laptop exec -- bash -l     alice's laptop, outside the VPC
  aws --profile lab sagemaker list-cluster-nodes --cluster-name ml
  ansible-inventory --graph
  ansible-playbook mlfleet.hyperpod.login_access --check --diff
Keys of alice, bob and mallory are in ~/people, variables of this lab in ~/inventory/group_vars/all.yml.
`exit` leaves; the lab goes on until `down`."""
INVENTORY = """\
# Next to inventories/lab: variables of this lab are in group_vars/all.yml.
all: {}
"""


def make(paths: Paths) -> None:
    """Create the home folder; keys are new in every lab."""
    ssh, aws = paths.home / ".ssh", paths.home / ".aws"
    for folder in (paths.home, ssh, aws):
        folder.mkdir(mode=0o700)
    _key(ssh / "id_ed25519", f"operations@lab-{paths.name}")
    for person in PEOPLE:
        folder = paths.home / "people" / person
        folder.mkdir(parents=True, mode=0o700)
        _key(folder / "id_ed25519", f"{person}@laptop")
    inventory = paths.home / "inventory"
    (inventory / "group_vars").mkdir(parents=True)
    (inventory / "lab.yml").write_text(INVENTORY)
    (inventory / "group_vars" / "all.yml").write_text("---\n")
    (aws / "config").write_text(AWS_CONFIG)
    (aws / "credentials").write_text(AWS_CREDENTIALS)
    (aws / "credentials").chmod(0o600)
    (paths.home / ".bashrc").write_text(BASHRC)


def _key(path: Path, comment: str) -> None:
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)]
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def with_root_home(passwd: str, folder: Path) -> str:
    """The text of /etc/passwd with another home for root."""
    lines = []
    for line in passwd.splitlines():
        fields = line.split(":")
        if fields[0] == "root" and len(fields) == 7:
            fields[5] = str(folder)
        lines.append(":".join(fields))
    return "\n".join(lines) + "\n"


def environment(paths: Paths, outside: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment with the variables of the lab, without those that point elsewhere."""
    env = {key: value for key, value in outside.items() if not key.upper().startswith(FOREIGN)}
    lab = paths.tests / "lab"
    python_path = (*python.path(outside), env.get("PYTHONPATH", ""))
    path = (paths.venv_bin, lab / "bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
    env |= {
        "HOME": str(paths.home),
        "USER": "root",
        "LOGNAME": "root",
        "PATH": ":".join(str(folder) for folder in path),
        "PYTHONPATH": ":".join(filter(None, python_path)),
        "TMPDIR": str(paths.temporary),
        "LAB_NAME": paths.name,
        "LAB_STATE": str(paths.state),
        "MLFLEET_HYPERPOD_CACHE": str(cache_folder()),  # HOME differs inside
        "AWS_ENDPOINT_URL": paths.api_url,
        "AWS_CONFIG_FILE": str(paths.home / ".aws" / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(paths.home / ".aws" / "credentials"),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_PAGER": "",
        "ANSIBLE_HOME": str(paths.home / ".ansible"),
        "ANSIBLE_CONFIG": str(paths.repo / "inventories" / "lab" / "ansible.cfg"),
        "ANSIBLE_COLLECTIONS_PATH": str(paths.collections),
        "ANSIBLE_SSH_CONTROL_PATH_DIR": "/run/lab/cp",
    }
    return env
