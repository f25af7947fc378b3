# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The evidence of all clusters, and the verdict of one."""

from __future__ import annotations

import json
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.offboarding import evidence


def test_incomplete_clusters_are_named(variables: dict[str, t.Any]) -> None:
    summary = evidence.summary(variables)
    hostvars = {**variables["hostvars"], "ml": {**variables["hostvars"]["ml"], "__offboarding_summary": {**summary, "cluster": "ml"}}}
    found = evidence.evidence({**variables, "hostvars": hostvars, "hyperpod_inventory_failures": ["d: no"]})
    text = json.dumps(found.found)
    assert found.found["complete"] is False and "b: the run failed before it checked this cluster for the user" in text
    assert "not read: d: no" in text and '"c"' in text
    assert re.fullmatch(r"/evidence/mallory-\d{8}T\d{6}Z", found.path)
    files = evidence.files({"__offboarding_evidence": found.found, "__offboarding_evidence_path": "/evidence/x"})
    assert [each["path"] for each in files] == ["/evidence/x.json", "/evidence/x.md"]
    assert json.loads(files[0]["content"]) == found.found and files[1]["content"].startswith("# Offboarding of mallory")


def test_an_unreached_cluster_is_refused(variables: dict[str, t.Any]) -> None:
    summary = {**evidence.summary(variables), "cluster": "ml"}
    found = evidence.verdict({**variables, "__offboarding_summary": summary})
    assert [each["code"] for each in found.refusals] == ["user-may-have-access"] and found.left == []
