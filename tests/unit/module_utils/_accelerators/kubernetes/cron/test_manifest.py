# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CronJob requests no devices, starts no node, is deleted with its node, and differs from Jobs of verify by its labels; its program runs."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron import manifest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.model import Node, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs import manifest as of_jobs
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.pod.answer import BEGIN
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import verified_program

from ..jobs.looked_at import NAMESPACE, iid, targets
from .recurring import NEW, OLD, desired

(TARGET,) = targets(1)


def made(version: str = NEW, recursive: bool = True, **more: t.Any) -> dict[str, t.Any]:
    wanted = desired(1, **more)
    return manifest.cron_job(wanted, State(version, recursive), TARGET, Node("uid-1"), manifest.config_map(wanted))


def pod(found: dict[str, t.Any]) -> dict[str, t.Any]:
    return dict(found["spec"]["jobTemplate"]["spec"]["template"]["spec"])


def test_its_pod_is_that_of_a_single_check_bound_to_its_node() -> None:
    spec = pod(made())
    assert spec == of_jobs.pod(desired(1).checks, TARGET, manifest.config_map(desired(1)))
    assert spec["nodeName"] == f"hyperpod-{iid(1)}", "a pod that waited for a scheduler would make Karpenter start a node"


def test_it_is_deleted_with_its_node() -> None:
    assert made()["metadata"]["ownerReferences"] == [{"apiVersion": "v1", "kind": "Node", "name": f"hyperpod-{iid(1)}", "uid": "uid-1"}]


def test_one_job_runs_at_a_time_without_a_retry_and_until_a_deadline() -> None:
    spec = made(seconds=90)["spec"]
    assert (spec["concurrencyPolicy"], spec["successfulJobsHistoryLimit"], spec["failedJobsHistoryLimit"]) == ("Forbid", 1, 1)
    job = spec["jobTemplate"]["spec"]
    assert (job["backoffLimit"], job["activeDeadlineSeconds"]) == (0, 150) and job["template"]["spec"]["restartPolicy"] == "Never"


def test_its_labels_differ_from_those_of_verify() -> None:
    labels = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod", "mlfleet.hyperpod/cron": "accelerator-health"}
    own, job = {**labels, "mlfleet.hyperpod/instance": iid(1)}, made()["spec"]["jobTemplate"]
    assert made()["metadata"]["labels"] == own == job["metadata"]["labels"] == job["spec"]["template"]["metadata"]["labels"]
    assert manifest.config_map(desired(1))["metadata"]["labels"] == labels and made()["metadata"]["namespace"] == NAMESPACE
    assert len(made()["metadata"]["name"]) <= 52, "Kubernetes adds eleven characters for a Job"


def test_each_node_has_its_own_minute_unless_a_schedule_is_set() -> None:
    assert [desired(1).schedule_of(each) for each in targets(1, 59, 60, 0xFFFFFFFF)] == ["1 * * * *", "59 * * * *", "0 * * * *", "15 * * * *"]
    assert made(schedule="@daily")["spec"]["schedule"] == "@daily"


def test_an_older_api_server_gets_no_newer_fields() -> None:
    old = made(OLD, recursive=False)
    assert old["apiVersion"] == OLD and "recursiveReadOnly" not in json.dumps(old) and "recursiveReadOnly" in json.dumps(made())
    assert {"name": "host", "mountPath": "/host", "readOnly": True} in pod(old)["containers"][0]["volumeMounts"]


def test_another_program_has_another_name() -> None:
    one, other = manifest.config_map(desired(1)), manifest.config_map(desired(1, settings={"profile": None, "dcgm": False, "timeout": 30}))
    assert one["metadata"]["name"] != other["metadata"]["name"] and one == manifest.config_map(desired(2)) and one["immutable"]
    assert len(json.dumps(one)) < 512 * 1024, "Kubernetes takes 1 MiB"


def started(folder: Path, sent: dict[str, t.Any], command: list[str]) -> subprocess.CompletedProcess[str]:
    """The container's command over the files of a ConfigMap."""
    (folder / of_jobs.PROGRAM).write_bytes(base64.b64decode(sent["binaryData"][of_jobs.PROGRAM]))
    (folder / of_jobs.SETTINGS).write_text(sent["data"][of_jobs.SETTINGS])
    places = {of_jobs.FOLDER: str(folder), verified_program.COPIES: str(folder)}
    here = [places.get(each, each) for each in command[1:]]
    return subprocess.run([sys.executable, *here], capture_output=True, text=True, check=False, env={}, cwd="/")


QUICK = {"profile": None, "dcgm": True, "timeout": 0.5}


def test_the_program_runs_as_the_container_starts_it_and_fails_for_an_unknown_verdict(tmp_path: Path) -> None:
    done = started(tmp_path, manifest.config_map(desired(1, settings=QUICK)), pod(made(settings=QUICK))["containers"][0]["command"])
    assert done.returncode == 2 and done.stdout.startswith(BEGIN) and done.stderr == "", (done.stdout, done.stderr)


def test_a_program_that_was_exchanged_is_not_run(tmp_path: Path) -> None:
    done = started(tmp_path, manifest.config_map(desired(1, settings=QUICK)), pod(made())["containers"][0]["command"])
    assert done.returncode == 1 and done.stdout == "" and "differs from the file that was sent" in done.stderr
