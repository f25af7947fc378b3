# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents that a run adds to the report store: one for each cluster, its report files, and one for the run. No I/O.

The keys never change their meaning: ``v1/clusters/CLUSTER/VERB/TIME-ID.json``, ``v1/runs/TIME-ID/FILE`` and
``v1/runs/TIME-ID.json``.
"""

from __future__ import annotations

import mimetypes
import os
import re
import typing as t
import urllib.parse
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text

VERSION = "v1"
CLUSTERS, RUNS = f"{VERSION}/clusters/", f"{VERSION}/runs/"
"""The beginnings of keys."""
Report = t.Mapping[str, t.Any]
"""The report of a run, as in ``report.json``."""
_OTHER = re.compile(r"[^A-Za-z0-9_.]+")


@dataclass(frozen=True)
class Document:
    key: str
    text: str

    @property
    def media_type(self) -> str:
        return mimetypes.guess_type(self.key)[0] or "text/plain"


def key_of_run(report: Report, run_id: str) -> str:
    return key_of_name(_name(report, run_id))


def key_of_name(name: str) -> str:
    """:param name: ``TIME-ID`` of the run."""
    return f"{RUNS}{name}.json"


def documents(report: Report, run_id: str, files: t.Mapping[str, str]) -> list[Document]:
    """The document of the run comes last, so a run that has one is complete.

    :param run_id: a random identifier, so that no two runs have the same keys.
    :param files: the content of the files that the run wrote, by path.
    """
    name, about = _name(report, run_id), {name: value for name, value in report.items() if name != "clusters"}
    keys = {cluster: f"{CLUSTERS}{part_of(cluster)}/{verb(report)}/{name}.json" for cluster in report["clusters"]}
    found = [
        Document(keys[cluster], json_text({**about, "run_id": run_id, "cluster": cluster, **found}))
        for cluster, found in report["clusters"].items()
    ]
    written = [Document(f"{RUNS}{name}/{file}", files[path]) for path, file in _names(files).items()]
    brief = {cluster: {"status": found["status"], "document": keys[cluster]} for cluster, found in report["clusters"].items()}
    run = {**about, "run_id": run_id, "clusters": brief, "files": [each.key for each in written]}
    return [*found, *written, Document(key_of_run(report, run_id), json_text(run))]


def _names(paths: t.Iterable[str]) -> dict[str, str]:
    """The name of each file in the store. Files of different folders may have the same name."""
    names: dict[str, str] = {}
    for path in paths:
        base = _OTHER.sub("-", os.path.basename(path)).strip("-.") or "file"
        numbered = (f"{number}-{base}" for number in range(2, len(names) + 3))
        names[path] = base if base not in names.values() else next(each for each in numbered if each not in names.values())
    return names


def verb(report: Report) -> str:
    """The playbooks of the run, in characters that every file system and S3 accept."""
    return _OTHER.sub("-", report["playbook"]).strip("-.")[:100] or "unknown"


def _name(report: Report, run_id: str) -> str:
    """Begins with the time, so that a listing is in the order of the runs."""
    return f"{re.sub('[-:]', '', report['started'])}-{run_id}"


def cluster_of(part: str) -> str | None:
    """The cluster whose key ``part`` is. None for a part that no run writes."""
    try:
        cluster = urllib.parse.unquote(part, errors="strict")
    except UnicodeDecodeError:
        return None
    return cluster if cluster and part_of(cluster) == part else None


def part_of(cluster: str) -> str:
    """The key of a cluster as one part of a key."""
    quoted = urllib.parse.quote(cluster, safe="")
    return quoted if quoted.strip(".") else quoted.replace(".", "%2E")
