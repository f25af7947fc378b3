# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The job itself: a manifest or a batch script, from a variable or a file. Ansible does not template the files."""

from __future__ import annotations

import os
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import kind_named, mapping
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.options import LONGEST_SCRIPT
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job import allowed_rights
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.source import manifest_of, text_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import topology_job as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view

SRC, MANIFEST, RIGHTS = (f"topology_job_{name}" for name in ("src", "manifest", "pod_rights"))


@dataclass(frozen=True)
class Source:
    """The manifest of a job for Kubernetes."""

    refusals: Findings
    """Refusals of a file without a job, and of rights that the job's Pods request."""
    manifest: dict[str, t.Any]


@view
def source(variables: Variables) -> Source:
    path = src(variables)
    try:
        manifest = manifest_of(SRC, path) if path else plain(variables[MANIFEST])
        if variables["topology_job_state"] == "present":
            _check_rights(manifest, variables)
    except Refused as error:
        return Source(refused([str(error)]), {})
    return Source([], manifest)


def _check_rights(manifest: dict[str, t.Any], variables: Variables) -> None:
    """Refuse the rights of Pods before any call to the cluster, with the name of the variable. The module checks them again."""
    kind = kind_named(str(manifest.get("kind")))
    own = mapping(manifest, "metadata").get("namespace")
    space = own or rules.namespace(str(variables["topology_job_team"]), str(variables["topology_job_namespace"]))
    if kind:
        allowed = list(map(str, variables[RIGHTS]))
        given = SRC if variables[SRC] else MANIFEST
        allowed_rights.check(kind, manifest, namespace=str(space or ""), allowed=allowed, source=given, option=RIGHTS)


@dataclass(frozen=True)
class Script:
    """The script of a job for Slurm."""

    refusals: Findings
    """Refusals of an unreadable file."""
    text: str


@view
def script(variables: Variables) -> Script:
    path = src(variables)
    try:
        return Script([], text_of(SRC, path, largest=LONGEST_SCRIPT) if path else "")
    except Refused as error:
        return Script(refused([str(error)]), "")


def src(variables: Variables) -> str:
    """The absolute path of the file; empty if the job comes from a variable."""
    given = str(variables[SRC])
    return given and os.path.abspath(os.path.expanduser(given))
