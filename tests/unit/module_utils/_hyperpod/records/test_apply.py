# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records whose replies were lost, or that are already deleted."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.plan import plan

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
PATH = "/mlfleet/hyperpod/abc123def456/records"
NODE = "i-0123456789abcdef0"
DESIRED = Desired(True, "drained", NODE, {"reason": "fans"}, "bob@two", "2026-11-21T00:00:00Z")


def test_a_record_whose_reply_was_lost_is_written_again(stubbed):
    client, stubber = stubbed("ssm")
    stubber.add_client_error("put_parameter", "ParameterAlreadyExists")
    text = DESIRED.text
    again = {"Name": f"{PATH}/drained/{NODE}", "Type": "String", "Value": text, "Overwrite": True}
    stubber.add_response("put_parameter", {}, again)
    (step,) = plan(DESIRED, State()).steps
    Applier(Parameters(Api(client)), ARN)(step)


def test_an_already_deleted_record_is_no_error(stubbed):
    client, stubber = stubbed("ssm")
    stubber.add_client_error("delete_parameter", "ParameterNotFound")
    (step,) = plan(Desired(False, "drained", NODE), State({"drained": {NODE: {}}})).steps
    Applier(Parameters(Api(client)), ARN)(step)
