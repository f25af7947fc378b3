# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All pages of a connection log are read; a missing log is no error."""

from __future__ import annotations

import boto3
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws import client as _aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.log import observe as observing
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.log.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.log.observe import observe
from botocore.stub import ANY, Stubber

GROUP = "/mlfleet/hyperpod/client-vpn/vpc-1"
DESIRED = Desired(GROUP, days=90)


@pytest.fixture
def stubbed():
    client = boto3.client(
        "logs", region_name="us-west-2", aws_access_key_id="example", aws_secret_access_key="example"
    )
    with Stubber(client) as stubber:
        yield _aws.Api(client), stubber
        stubber.assert_no_pending_responses()


def test_all_pages_are_read(stubbed):
    api, stubber = stubbed
    request = {"logGroupName": GROUP, "startTime": ANY, "filterPattern": observing.ATTEMPTS}
    stubber.add_response("filter_log_events", {"events": [{"message": "a"}], "nextToken": "next"}, request)
    stubber.add_response("filter_log_events", {"events": [{"message": "b"}]}, {**request, "nextToken": "next"})
    assert observe(api, DESIRED) == ("a", "b")


@pytest.mark.parametrize("code, expected", [("ResourceNotFoundException", None), ("AccessDeniedException", _aws.AwsError)])
def test_a_missing_log_is_no_error_but_an_unreadable_one_is(stubbed, code, expected):
    api, stubber = stubbed
    stubber.add_client_error("filter_log_events", code)
    if expected is None:
        assert observe(api, DESIRED) is None
    else:
        with pytest.raises(expected, match=f"FilterLogEvents for {GROUP} failed; allow the action"):
            observe(api, DESIRED)
