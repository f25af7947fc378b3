# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Desired tags, and the owner of a resource by its tags."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws import tags
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

OWNER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
OURS = {tags.CLUSTER_TAG: OWNER}
OF_OTHERS = {tags.CLUSTER_TAG: OWNER.replace("abc", "xyz")}


def test_the_owner_is_among_the_desired_tags():
    assert tags.desired_tags({"n": 1}, cluster_arn=OWNER) == {"n": "1", **OURS}
    assert tags.desired_tags({}, cluster_arn=None) == {}
    assert tags.desired_tags(None, cluster_arn=None) is None


@pytest.mark.parametrize(
    ("given", "option"),
    [({"aws:x": ""}, "tags: 'aws:x'"), ({"": ""}, "tags: ''"), ({"k" * 129: ""}, "tags: 'kkk"), ({"k": "v" * 257}, "tags.k: ")],
)
def test_tags_that_aws_does_not_accept_are_refused(given, option):
    with pytest.raises(Refused) as caught:
        tags.check_tags(given)
    assert str(caught.value).startswith(option)


@pytest.mark.parametrize(
    ("have", "cluster_arn", "adopt", "words"),
    [
        (OURS, OWNER, False, None),
        ({}, None, False, None),
        ({}, OWNER, True, None),
        ({}, OWNER, False, "set adopt to add the tag"),
        (OF_OTHERS, OWNER, True, "and adopt does not change this"),
    ],
)
def test_a_resource_belongs_to_the_cluster_in_its_tag(have, cluster_arn, adopt, words):
    assert tags.owned(have, cluster_arn) is (have == OURS or cluster_arn is None)
    if words is None:
        tags.require_owned("load balancer lb", have, cluster_arn=cluster_arn, adopt=adopt)
        return
    with pytest.raises(Refused, match=words):
        tags.require_owned("load balancer lb", have, cluster_arn=cluster_arn, adopt=adopt)
