# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Running machines: a file for each, readable by every process of the lab."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from lab.hosts import cgroups, namespace
from lab.hosts.spec import HostSpec
from lab.names import LabError, Paths


def register(paths: Paths, spec: HostSpec, pid: int) -> None:
    """Register a running machine with ``pid`` as its first process."""
    entry = {
        "instance_id": spec.instance_id,
        "ip": spec.ip,
        "pid": pid,
        "vpc_id": spec.vpc_id,
        "cluster_id": spec.cluster_id,
        "group": spec.group,
        "name": spec.name,
        "node_type": spec.node_type,
        "control_group": str(cgroups.host_folder(paths, spec.instance_id)),
        "spec": asdict(spec),
    }
    target = registry_file(paths, spec.instance_id)
    draft = target.with_suffix(".new")
    draft.write_text(json.dumps(entry))
    draft.rename(target)


def registered(paths: Paths) -> list[dict]:
    """Registry entries of running machines by name."""
    entries = []
    for path in paths.hosts.glob("*.json"):
        with contextlib.suppress(OSError, ValueError):
            entries.append(json.loads(path.read_text()))
    return sorted(entries, key=lambda entry: entry["name"])


def registry_file(paths: Paths, instance_id: str) -> Path:
    """Path of the entry, which exists while the machine runs."""
    return paths.hosts / f"{instance_id}.json"


def registry(paths: Paths, instance_id: str) -> dict:
    try:
        return json.loads(registry_file(paths, instance_id).read_text())
    except OSError:
        raise LabError(f"host {instance_id} does not run") from None


def enter_command(paths: Paths, instance_id: str, argv: Sequence[str]) -> list[str]:
    """A command line that runs `argv` as root inside a machine; for callers in the lab's outer namespaces."""
    entry = registry(paths, instance_id)
    return namespace.host_argv(entry["pid"], argv, entry["control_group"])
