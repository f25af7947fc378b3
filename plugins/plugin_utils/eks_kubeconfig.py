# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kubeconfig for an EKS cluster without a credential. Its user is a program, ``eks_token.py`` in this folder."""

from __future__ import annotations

import os
import typing as t

from . import eks_token


def kubeconfig(*, cluster: t.Mapping[str, t.Any], region: str, profile: str, state_dir: str, python: str) -> dict[str, t.Any]:
    """A kubeconfig for kubectl and the modules of ``kubernetes.core``.

    :param cluster: name, endpoint and ``certificate_authority``, as ``eks_cluster_info`` returns them.
    :param profile: the AWS profile; empty to use the environment.
    :param python: path of an interpreter that has botocore.
    """
    name = cluster["name"]
    arguments = [os.path.abspath(eks_token.__file__), "--cluster", name, "--region", region]
    arguments += ["--state-dir", os.path.expanduser(state_dir)]
    arguments += ["--profile", profile] if profile else []
    program = {"apiVersion": eks_token.API_VERSION, "command": python, "args": arguments, "interactiveMode": "Never"}
    server = {"server": cluster["endpoint"], "certificate-authority-data": cluster["certificate_authority"]}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": server}],
        "users": [{"name": name, "user": {"exec": program}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
