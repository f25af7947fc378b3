# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The job from a variable or a file, without templating, and its permissions, refused under the names of variables."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology_job import source

from .test_asked import variables

JOB: dict[str, t.Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "mnist"},
    "spec": {"template": {"spec": {"hostNetwork": True, "nodeName": "n1"}}},
}
ALLOWED = ["hostNetwork", "nodeName=n1"]


def refusals_of(found: source.Source | source.Script) -> str:
    return " ".join(each["text"] for each in found.refusals)


def test_a_file_is_not_a_template(tmp_path: Path) -> None:
    text = "{{ lookup('ansible.builtin.pipe', 'id') }} ${HOME}"
    (tmp_path / "job.yaml.j2").write_text(json.dumps({"kind": "Job", "note": text}))
    found = source.source(variables(topology_job_src=str(tmp_path / "job.yaml.j2"), topology_job_manifest={}))
    assert found == source.Source([], {"kind": "Job", "note": text})
    (tmp_path / "job.sh.j2").write_bytes(b"#!/bin/sh\r\n${#list[@]} {# a #} {{ b }}\n\n")
    assert source.script(variables(topology_job_src=str(tmp_path / "job.sh.j2"))).text == "#!/bin/sh\r\n${#list[@]} {# a #} {{ b }}\n\n"


def test_without_a_file_the_manifest_is_used() -> None:
    assert source.source(variables()) == source.Source([], {"kind": "Job"})
    assert source.script(variables()) == source.Script([], "")


def test_a_relative_path_starts_at_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert source.src(variables(topology_job_src="a.yaml")) == str(tmp_path / "a.yaml")
    monkeypatch.setenv("HOME", "/home/alice")
    assert source.src(variables(topology_job_src="~/a.yaml")) == "/home/alice/a.yaml"


@pytest.mark.parametrize(
    ("of", "given"), [(source.source, {"topology_job_manifest": {}}), (source.script, {})], ids=["manifest", "script"]
)
def test_an_unreadable_file_is_a_finding(of: t.Callable[..., t.Any], given: dict[str, t.Any]) -> None:
    found = of(variables(topology_job_src="/nonexistent/job", **given))
    assert refusals_of(found) == "topology_job_src: /nonexistent/job can't be read: No such file or directory."
    assert [each["code"] for each in found.refusals] == ["option-refused"]


def test_a_too_long_script_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(b"#" * 4_000_001)
    assert "a file of at most 3906 KiB" in refusals_of(source.script(variables(topology_job_src=str(tmp_path / "a.sh"))))


def test_permissions_are_refused_under_the_names_of_variables(tmp_path: Path) -> None:
    refused = source.source(variables(topology_job_manifest=JOB, topology_job_namespace="training"))
    assert refusals_of(refused) == (
        "topology_job_manifest: hostNetwork, nodeName=n1 is not allowed: such rights reach beyond the Pod. Allowed: Pods without these rights, or the option "
        'topology_job_pod_rights: ["hostNetwork", "nodeName=n1"].'
    )
    assert refused.manifest == {}
    (tmp_path / "job.yaml").write_text(json.dumps(JOB))
    of_file = {"topology_job_manifest": {}, "topology_job_src": str(tmp_path / "job.yaml"), "topology_job_namespace": "training"}
    assert refusals_of(source.source(variables(**of_file))).startswith("topology_job_src: hostNetwork")
    assert source.source(variables(**of_file, topology_job_pod_rights=ALLOWED)).refusals == []
    assert source.source(variables(**of_file, topology_job_state="absent")).refusals == [], "the job is only deleted"


@pytest.mark.parametrize("given", [{"topology_job_team": "a"}, {"topology_job_namespace": "hyperpod-ns-a"}, {}])
def test_pod_security_applies_in_the_namespace_of_a_team(given: dict[str, str]) -> None:
    manifest = JOB if given else {**JOB, "metadata": {"name": "mnist", "namespace": "hyperpod-ns-a"}}
    found = source.source(variables(topology_job_manifest=manifest, topology_job_pod_rights=ALLOWED, **given))
    assert refusals_of(found).startswith('topology_job_manifest: hostNetwork is not allowed: Pod Security "baseline", which applies')
