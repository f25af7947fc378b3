# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from types import SimpleNamespace

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Wish
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.options import SPEC, concealed, desired, waits, wish

from .jobs import LAYER, QUEUE, SPACE, hyperpod_job, job

DEFAULTS = {name: option.get("default") for name, option in SPEC.items()}


def params(**given: object) -> dict:
    return {**DEFAULTS, "manifest": job(), "namespace": SPACE, "queue": QUEUE, **given}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Wish()),
        ({"required_topology": f"{LAYER}3"}, Wish("required", f"{LAYER}3")),
        ({"preferred_topology": "rack"}, Wish("preferred", "rack")),
        ({"unconstrained_topology": True}, Wish("unconstrained")),
        ({"slice_topology": "rack", "slice_size": 4}, Wish("", "", "rack", 4)),
        ({"preferred_topology": "row", "slice_topology": "rack", "slice_size": 4}, Wish("preferred", "row", "rack", 4)),
    ],
)
def test_options_become_a_topology_request(given, expected):
    assert wish(params(**given)) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required_topology": "a", "preferred_topology": "b"}, "preferred_topology: required_topology and preferred_topology is not allowed"),
        ({"required_topology": "a", "unconstrained_topology": True}, "unconstrained_topology: required_topology and unconstrained_topology"),
        ({"required_topology": "a b"}, "required_topology: 'a b' is not allowed. Allowed: a label of nodes such as"),
        ({"slice_topology": ""}, "slice_topology: '' is not allowed."),
        ({"slice_topology": "a"}, "slice_size: slice_topology and slice_size must be set together"),
        ({"slice_size": 2}, "slice_size: slice_topology and slice_size must be set together"),
        ({"slice_topology": "a", "slice_size": 0}, "slice_size: 0 is not allowed. Allowed: 1 to 100000."),
        ({"slice_topology": "a", "slice_size": 1, "unconstrained_topology": True}, "slice_topology: 'a' is not allowed. Allowed: no value together with"),
        ({"queue": "A"}, "queue: 'A' is not allowed."),
        ({"priority_class": "a/b"}, "priority_class: 'a/b' is not allowed."),
        ({"namespace": "a_b"}, "namespace: 'a_b' is not allowed."),
        ({"manifest": None}, "manifest: set exactly one of manifest and src"),
        ({"src": "x"}, "manifest: set exactly one of manifest and src"),
        ({"manifest": None, "src": "/nonexistent"}, "src: /nonexistent can't be read: "),
    ],
)
def test_invalid_options_are_refused(given, message):
    with pytest.raises(Refused) as refused:
        desired(params(**given))
    assert message in str(refused.value)


def test_a_job_that_is_removed_early_is_noted_and_cannot_be_waited_for():
    assert "is removed 0 s after its end" in desired(params(manifest=hyperpod_job())).vanishing
    assert desired(params()).vanishing == "" == desired(params(manifest=hyperpod_job(), state="absent", wait="finished")).vanishing
    short = job(ttlSecondsAfterFinished=60)
    assert desired(params(manifest=short, wait="finished", poll_interval=15)).vanishing == ""
    with pytest.raises(Refused) as refused:
        desired(params(manifest=short, wait="finished", poll_interval=16))
    assert "manifest.spec.ttlSecondsAfterFinished: 60 is not allowed: with wait=finished and poll_interval=16" in str(refused.value)


@pytest.mark.parametrize(("name", "value"), [("wait_timeout", 0), ("wait_timeout", 604801), ("poll_interval", 0), ("poll_interval", 301)])
def test_numbers_outside_their_bounds_are_refused(name, value):
    waits(params())
    with pytest.raises(Refused) as refused:
        waits(params(**{name: value}))
    assert f"{name}: {value} is not allowed" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "it is not YAML (line 1): "),
        ("- a", "with an object without a kind is not allowed. Allowed: a file with one job in JSON or YAML"),
        ("a: 1\n---\nb: 1", "with an object without a kind, an object without a kind is not allowed: it has 2 documents. Allowed: a file with one job; split"),
        ("", "which is empty, is not allowed."),
        ("kind: Deployment", "src.kind: 'Deployment' is not allowed"),
    ],
)
def test_invalid_files_are_refused(tmp_path, text, message):
    path = tmp_path / "job.yaml"
    path.write_text(text)
    with pytest.raises(Refused) as refused:
        desired(params(manifest=None, src=str(path)))
    assert message in str(refused.value)


def test_dates_in_a_file_stay_text(tmp_path):
    path = tmp_path / "job.yaml"
    path.write_text("{apiVersion: batch/v1, kind: Job, metadata: {name: a, labels: {since: 2026-01-02}}, spec: {template: {}}}")
    assert desired(params(manifest=None, src=str(path))).rendered.manifest["metadata"]["labels"]["since"] == "2026-01-02"


def test_a_file_can_replace_the_manifest(tmp_path):
    path = tmp_path / "job.yaml"
    path.write_text(f"---\n{{apiVersion: batch/v1, kind: Job, metadata: {{name: mnist}}, spec: {job()['spec']}}}\n---\n".replace("'", '"'))
    assert desired(params(manifest=None, src=str(path))).rendered == desired(params()).rendered


def test_values_of_environment_variables_are_never_shown_or_logged():
    env = [{"name": "TOKEN", "value": "hf_secret"}, {"name": "KEY", "value": "own"}]
    manifest = {"metadata": {"name": "mnist"}, "spec": {"parallelism": 1, "env": env}}
    hidden = {"own", "hf_secret", "mnist", "TOKEN", "1", "of another user"}
    spec = {**SPEC, "secret_key": {"no_log": True}}
    module = SimpleNamespace(params=params(manifest=manifest, secret_key="own"), argument_spec=spec, no_log_values=set(hidden))
    given = concealed(module)
    assert given["manifest"] == manifest and "hf_secret" in str(given)
    assert "hf_secret" not in str(module.params) and module.params["manifest"]["metadata"] == {"name": "mnist"}
    assert module.no_log_values == {"own", "of another user"} and SPEC["manifest"]["no_log"]  # which keeps the manifest out of the system log
    absent = SimpleNamespace(params=params(manifest=None), argument_spec=SPEC, no_log_values={"a"})
    assert concealed(absent)["manifest"] is None and absent.no_log_values == {"a"}
