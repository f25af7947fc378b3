# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metadata of a run for its report: time, playbooks, options, control node and versions."""

from __future__ import annotations

import json
import re
import typing as t
from dataclasses import dataclass
from pathlib import Path

import yaml
from ansible.release import __version__ as core_version
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_epoch
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.claim import own_name
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import one_line

COLLECTION = Path(__file__).resolve().parents[2]
JOB_VARIABLES = ("awx_job_id", "tower_job_id")
"""Extra variables that AWX and related products give to each job."""


@dataclass(frozen=True)
class RunInfo:
    """Metadata from the command line and the control node."""

    started: str
    playbooks: tuple[str, ...]
    check_mode: bool
    limit: str | None
    tags: tuple[str, ...]
    skip_tags: tuple[str, ...]
    extra: t.Mapping[str, t.Any]
    """Extra variables, which only the operator sets."""
    reads_only: bool = False
    """Whether all playbooks of the run are read-only."""

    @classmethod
    def of(
        cls,
        arguments: t.Mapping[str, t.Any],
        extra: t.Mapping[str, t.Any],
        *,
        started: str,
        playbooks: t.Iterable[str],
        reads_only: bool = False,
    ) -> RunInfo:
        return cls(
            started=started,
            playbooks=tuple(dict.fromkeys(Path(each).stem for each in playbooks)),
            check_mode=bool(arguments.get("check")),
            limit=arguments.get("subset") or None,
            tags=tuple(arguments.get("tags") or ()),
            skip_tags=tuple(arguments.get("skip_tags") or ()),
            extra=extra,
            reads_only=reads_only,
        )

    @property
    def report_name(self) -> str:
        """The name of the file with the last report. A read-only run must not overwrite the report of a scheduled run."""
        if self.check_mode:
            return "report-check.json"
        return "report-look.json" if self.reads_only else "report.json"

    @property
    def kept_name(self) -> str:
        """The name of this run's own file, without the suffix that makes it unique."""
        playbooks = re.sub(r"[^A-Za-z0-9_.]+", "-", "-".join(self.playbooks))[:100]
        return "-".join([re.sub("[-:]", "", self.started), playbooks, *(["check"] if self.check_mode else [])])

    def to_report(self, *, ended: float) -> dict[str, t.Any]:
        only = self.extra.get("hyperpod_only")
        job = next((self.extra[name] for name in JOB_VARIABLES if self.extra.get(name)), None)
        return {
            "started": self.started,
            "ended": iso_epoch(ended),
            "playbook": ", ".join(self.playbooks),
            "check_mode": self.check_mode,
            "reads_only": self.reads_only,
            "limit": self.limit,
            **({"hyperpod_only": one_line(only)} if only else {}),
            "tags": list(self.tags),
            "skip_tags": list(self.skip_tags),
            "controller": own_name(),
            "awx_job": None if job is None else one_line(job),
            "versions": {"mlfleet.hyperpod": collection_version(COLLECTION), "ansible-core": core_version},
        }


def collection_version(folder: Path) -> str | None:
    """The version of the collection, from the installed archive or from the work tree."""
    try:
        if (folder / "MANIFEST.json").exists():
            return str(json.loads((folder / "MANIFEST.json").read_text())["collection_info"]["version"])
        return str(yaml.safe_load((folder / "galaxy.yml").read_text())["version"])
    except (OSError, ValueError, KeyError, yaml.YAMLError):
        return None
