# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of a simulated API that returns writes late, and concurrent writes of others."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.model import Record
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.record import Records
from simulated import Simulated, simulator

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
NODE = "i-0123456789abcdef0"


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> t.Iterator[Simulated]:
    with simulator(tmp_path_factory.mktemp("lab")) as url:
        yield Simulated(url)


@pytest.fixture
def ssm(running: Simulated) -> t.Iterator[Api]:
    """A client whose reads lag 60 s behind every write, unless a test changes the setting."""
    running.control("settings", {"parameter_lag_seconds": 60, "parameter_rest_seconds": 0})
    running.control("reset-calls", {})
    yield Api(running.client("ssm"))


def both(parameters: Parameters, path: str, name: str) -> tuple[str | None, str | None]:
    listed = parameters.below(path, about="all")
    return parameters.text(f"{path}/{name}", about="one"), listed.get(f"{path}/{name}")


@pytest.mark.parametrize("first", ["text", "below"])
def test_own_writes_are_read(ssm, first):
    here, name = Parameters(ssm), f"/own/{first}/one"
    read = {
        "text": lambda: here.text(name, about="one"),
        "below": lambda: here.below(f"/own/{first}", about="all").get(name),
    }
    here.create(name, "1", about="one")
    assert read[first]() == "1"
    here.overwrite(name, "2", about="one")
    assert read[first]() == "2"


def test_a_later_write_of_others_counts(ssm):
    ours, others = Parameters(ssm), Parameters(ssm)
    ours.create("/others/one", "ours", about="one")
    others.overwrite("/others/one", "others", about="one")
    others.listed("/others", about="all")
    assert both(ours, "/others", "one") == ("others", "others")


def test_own_writes_are_remembered_for_30_seconds(ssm):
    now = [0.0]
    here = Parameters(ssm, now=lambda: now[0])
    here.create("/memory/one", "1", about="one")
    Parameters(ssm).delete("/memory/one", about="one")
    assert here.text("/memory/one", about="one") == "1"
    now[0] = 31.0
    assert here.text("/memory/one", about="one") is None


def test_subfolders_are_listed_only_recursively(ssm):
    here = Parameters(ssm)
    here.create("/paths/a/one", "1", about="one")
    assert here.below("/paths", about="all") == {}
    assert here.below("/path", about="all", recursive=True) == {}
    assert here.below("/paths", about="all", recursive=True) == {"/paths/a/one": "1"}


def test_a_deleted_record_can_be_created_again(ssm, running):
    """As by undrain and then drain."""
    parameters = Parameters(ssm)
    observe, apply = Observer(parameters, ARN), Applier(parameters, ARN)
    desired = Desired(True, "drained", NODE, {"reason": "fans"}, "ann", "2026-11-21T00:00:00Z")
    (make,) = plan(desired, observe()).steps
    apply(make)
    made = observe()
    assert set(made.records["drained"]) == {NODE}
    running.control("settings", {"parameter_rest_seconds": 1})
    (delete,) = plan(Desired(False, "drained", NODE), made).steps
    apply(delete)
    assert observe().records["drained"] == {}
    apply(make)
    assert set(observe().records["drained"]) == {NODE}
    puts = [call["error"] for call in running.control("calls") if call["operation"] == "PutParameter"]
    assert "TooManyUpdates" in puts and puts[-1] is None


def test_a_deleted_trust_record_can_be_saved_again(ssm, running):
    about = {"triple": [NODE, "launched", "updated"], "host_keys": [], "operations_user": "ops", "operations_key": "key"}
    record = Record.from_json(json.dumps(about))
    running.control("settings", {"parameter_rest_seconds": 1, "parameter_lag_seconds": 0})
    trust = Records(ssm.client)
    trust.save(ARN.id, record)
    trust.delete(ARN.id, [NODE])
    trust.save(ARN.id, record)
    assert trust.load(ARN.id).names == {NODE}


def test_deleting_a_missing_parameter_succeeds(ssm):
    Parameters(ssm).delete("/nothing/here", about="nothing")


def test_creating_an_existing_parameter_is_an_error_with_a_code(ssm):
    Parameters(ssm).create("/there/one", "1", about="one")
    with pytest.raises(AwsError) as error:
        Parameters(ssm).create("/there/one", "2", about="one")
    assert error.value.code == "ParameterAlreadyExists"


def test_writes_that_reads_do_not_return_yet_are_known(ssm):
    here = Parameters(ssm)
    here.create("/outdated/new", "1", about="one")
    assert [here.outdated(about="all"), here.outdated(about="all")] == [["/outdated/new"], []]
    here.overwrite("/outdated/new", "2", about="one")
    assert [here.outdated(about="all"), here.outdated(about="all")] == [["/outdated/new"], []]
