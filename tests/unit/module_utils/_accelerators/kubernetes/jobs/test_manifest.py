# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Job requests no devices, ends by itself, may read the node and is identified by its labels; its program runs."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs import manifest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.log import NoAnswer, health
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import namespace, verified_program

from .looked_at import NAMESPACE, desired, iid, targets

RUN, (TARGET,) = "0a1b2c3d", targets(1)
OURS = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod", "mlfleet.hyperpod/look": RUN}


def pod(**more: t.Any) -> dict[str, t.Any]:
    return dict(manifest.job(RUN, desired(1, **more), TARGET)["spec"]["template"]["spec"])


def test_it_is_bound_to_its_node_and_tolerates_all_taints() -> None:
    spec = pod()
    assert spec["nodeName"] == f"hyperpod-{iid(1)}" and spec["tolerations"] == [{"operator": "Exists"}]
    assert not {"nodeSelector", "affinity", "priorityClassName"} & set(spec)


def test_it_requests_no_devices() -> None:
    (container,) = pod()["containers"]
    assert set(container["resources"]["requests"]) == {"cpu", "memory"} and set(container["resources"]["limits"]) == {"memory"}


def test_it_has_a_deadline_and_no_retries() -> None:
    spec = manifest.job(RUN, desired(1, seconds=90), TARGET)["spec"]
    assert (spec["backoffLimit"], spec["activeDeadlineSeconds"], spec["ttlSecondsAfterFinished"]) == (0, 150, 600)
    own = spec["template"]["spec"]
    assert (own["restartPolicy"], own["activeDeadlineSeconds"]) == ("Never", 90), "the kubelet ends it first, so the log is kept"


def test_it_mounts_the_node_read_only_and_has_no_service_account_token() -> None:
    spec = pod()
    mounts = {each["name"]: each for each in spec["containers"][0]["volumeMounts"]}
    assert mounts["host"] == {"name": "host", "mountPath": "/host", "readOnly": True, "recursiveReadOnly": "IfPossible"}
    assert [name for name, each in mounts.items() if not each.get("readOnly")] == ["hung-tools", "tmp"]
    assert {next(iter(set(each) - {"name"})) for each in spec["volumes"]} == {"hostPath", "configMap", "emptyDir"}
    (records,) = [each["hostPath"] for each in spec["volumes"] if each["name"] == "hung-tools"]
    assert records == {"path": mounts["hung-tools"]["mountPath"], "type": "DirectoryOrCreate"}, "the same folder as checks on the node"
    assert spec["automountServiceAccountToken"] is False and spec["containers"][0]["securityContext"]["readOnlyRootFilesystem"]


def test_objects_have_labels_and_the_time_for_which_they_are_needed() -> None:
    wanted = desired(1)
    job, config_map = manifest.job(RUN, wanted, TARGET), manifest.config_map(RUN, wanted, needed=500)
    own = {**OURS, "mlfleet.hyperpod/instance": iid(1)}
    assert job["metadata"]["labels"] == own == job["spec"]["template"]["metadata"]["labels"] and config_map["metadata"]["labels"] == OURS
    assert job["metadata"]["annotations"] == {"mlfleet.hyperpod/needed-seconds": "120"}
    assert config_map["metadata"]["annotations"] == {"mlfleet.hyperpod/needed-seconds": "500"}
    assert len(job["metadata"]["name"]) <= 63 and job["metadata"]["name"] == f"look-{RUN}-{iid(1)}"


def test_the_namespace_allows_privileged_pods() -> None:
    made = namespace.definition(NAMESPACE)["metadata"]
    assert made["labels"]["pod-security.kubernetes.io/enforce"] == "privileged" and made["name"] == NAMESPACE


def started(folder: Path, made: dict[str, t.Any], command: list[str], **replaced: str) -> subprocess.CompletedProcess[str]:
    """Run the container's command with the files of the ConfigMap, in the folder.

    :param replaced: contents of another ConfigMap with the same name, by ``program`` and ``settings``.
    """
    (folder / manifest.PROGRAM).write_bytes(replaced.get("program", "").encode() or base64.b64decode(made["binaryData"][manifest.PROGRAM]))
    (folder / manifest.SETTINGS).write_text(replaced.get("settings") or made["data"][manifest.SETTINGS])
    (folder / "tmp").mkdir()
    places = {manifest.FOLDER: str(folder), verified_program.COPIES: str(folder / "tmp")}
    (python, *arguments) = [places.get(each, each) for each in command]
    assert python == "python3" and arguments[0] == "-I"
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, env={}, cwd="/")


def test_the_program_fits_and_runs_as_the_container_starts_it(tmp_path: Path) -> None:
    wanted = desired(1, settings={"profile": None, "dcgm": True, "timeout": 0.5})
    made = manifest.config_map(RUN, wanted, needed=1)
    assert len(json.dumps(made)) < 512 * 1024, "Kubernetes takes 1 MiB"
    done = started(tmp_path, made, pod(settings=wanted.settings)["containers"][0]["command"])
    assert done.returncode == 0 and done.stderr == "", done.stderr
    try:
        assert health(done.stdout)["verdict"] != "fit", "nothing is below /host here"
    except NoAnswer as error:
        raise AssertionError(done.stdout) from error


@pytest.mark.parametrize(
    "replaced",
    [{"program": "print('run as root')"}, {"settings": '{"profile": null, "dcgm": false, "timeout": 30}'}],
    ids=["program", "settings"],
)
def test_changed_contents_of_the_config_map_are_not_run(tmp_path: Path, replaced: dict[str, str]) -> None:
    """The command of the Pod has their hashes, which a ConfigMap cannot change."""
    done = started(tmp_path, manifest.config_map(RUN, desired(1), needed=1), pod()["containers"][0]["command"], **replaced)
    assert done.returncode == 1 and done.stdout == "", done.stdout
    (name,) = ({"program": manifest.PROGRAM, "settings": manifest.SETTINGS}[each] for each in replaced)
    assert f"{name} in the ConfigMap differs from the file that was sent" in done.stderr
    assert list((tmp_path / "tmp").glob("*.pyz")) == [] or "settings" in replaced
