# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.observe import Observer
from simulated.locks import ARN, PATH, claim


def test_only_numbers_are_generations(stubbed):
    client, stubber = stubbed("ssm")
    parameters = [{"Name": f"{PATH}/note", "Value": "hello"}, {"Name": f"{PATH}/12", "Value": claim().to_json()}]
    stubber.add_response("get_parameters_by_path", {"Parameters": parameters}, {"Path": PATH})
    assert Observer(Api(client), ARN)().top == 12
