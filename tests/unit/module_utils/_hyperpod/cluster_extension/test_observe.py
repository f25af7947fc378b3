# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How an extension is read and returned, and by which requests."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.model import Desired, Extension, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.result import result

CLUSTER, ARN, NAME = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456", "arn:one", "observability"
DESIRED = Desired(CLUSTER, NAME)
DETAILS = {"ClusterArn": CLUSTER, "ExtensionArn": ARN, "ExtensionName": NAME, "ExtensionVersion": "1.0.0", "Status": "Active"}
ANSWER = {
    "ExtensionDetails": {**DETAILS, "ConfigurationValues": '{"a": 1}'},
    "NodeSummary": {"TotalCount": 5, "ActiveCount": 4},
    "Health": {"Issues": [{"Code": "A", "Message": "b\x1b", "NodeCount": 2}]},
}
FOUND = Extension(ARN, "1.0.0", "Active", {"a": 1}, 5, 4, ("A (nodes: 2): b?",))


def listed(*names: str) -> dict[str, t.Any]:
    about = {"ExtensionVersion": "1.0.0", "Status": "Active"}
    return {"Extensions": [{**about, "ExtensionArn": f"arn:{name}", "ExtensionName": name} for name in names]}


def observed(client: t.Any, *, waits: bool = False) -> State:
    paused: list[float] = []
    clock = Clock(now=lambda: sum(paused), sleep=paused.append, jitter=lambda: 0.0)
    return Observer(HyperPod(client), DESIRED, waits=Waits(timeout=60, interval=20, clock=clock) if waits else None)()


def test_every_field_of_an_answer_is_read() -> None:
    assert Extension.from_api(ANSWER) == FOUND
    assert Extension.from_api({"ExtensionDetails": DETAILS}) == Extension(ARN, "1.0.0", "Active", {}, 0, 0, ())


def test_an_extension_is_found_by_name(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("list_cluster_extensions", listed("other", NAME), {"ClusterArn": CLUSTER})
    stub.add_response("describe_cluster_extension", ANSWER, {"ClusterArn": CLUSTER, "ExtensionArn": f"arn:{NAME}"})
    assert observed(client) == State(FOUND)


@pytest.mark.parametrize("names", [(), ("other",)])
def test_an_unknown_name_has_no_extension(stubbed: t.Any, names: tuple[str, ...]) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("list_cluster_extensions", listed(*names))
    assert observed(client) == State()


@pytest.mark.parametrize(("code", "fails"), [("ResourceNotFound", False), ("ResourceNotFoundException", False), ("AccessDeniedException", True)])
def test_an_extension_deleted_meanwhile_is_absent(stubbed: t.Any, code: str, fails: bool) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("list_cluster_extensions", listed(NAME))
    stub.add_client_error("describe_cluster_extension", code)
    if fails:
        with pytest.raises(AwsError, match=f"DescribeClusterExtension for extension {NAME} of cluster {CLUSTER}"):
            observed(client)
    else:
        assert observed(client) == State()


@pytest.mark.parametrize("status", ["Creating", "Updating", "Deleting"])
def test_an_operation_of_an_earlier_run_is_waited_for(stubbed: t.Any, status: str) -> None:
    client, stub = stubbed("sagemaker")
    for answer in ({**ANSWER, "ExtensionDetails": {**DETAILS, "Status": status}}, ANSWER):
        stub.add_response("list_cluster_extensions", listed(NAME))
        stub.add_response("describe_cluster_extension", answer)
    assert observed(client, waits=True) == State(FOUND)


def test_an_absent_extension_is_not_waited_for(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("list_cluster_extensions", listed())
    assert observed(client, waits=True) == State()


def test_the_result_contains_the_extension() -> None:
    assert result(DESIRED, State()) == {"extension": {"exists": False, "name": NAME}}
    assert result(DESIRED, State(FOUND)) == {
        "extension": {
            "exists": True,
            "name": NAME,
            "extension_arn": ARN,
            "version": "1.0.0",
            "status": "Active",
            "configuration": {"a": 1},
            "issues": ["A (nodes: 2): b?"],
        }
    }


def test_options_have_the_documented_defaults() -> None:
    assert (DESIRED.present, DESIRED.version, DESIRED.configuration, DESIRED.resource) == (True, None, {}, f"extension {NAME}")
