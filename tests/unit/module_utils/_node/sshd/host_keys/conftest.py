# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of keys, made by ssh-keygen."""

from __future__ import annotations

import subprocess

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES


def generate(folder, key_type, passphrase="", pem=False):
    path = folder / f"{key_type}{passphrase}{pem}"
    extra = ["-m", "PEM"] if pem else []
    subprocess.run(
        ["ssh-keygen", "-q", "-t", key_type, "-N", passphrase, "-C", "shared@login", *extra, "-f", path], check=True
    )
    return {"private": path.read_text(), "public": path.with_name(path.name + ".pub").read_text()}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    made = {key_type: generate(folder, key_type) for key_type in HOST_KEY_TYPES}
    made["other"] = generate(tmp_path_factory.mktemp("other"), "ed25519")
    made["locked"] = generate(folder, "ed25519", passphrase="secret")
    made["pem"] = generate(folder, "rsa", pem=True)
    return made
