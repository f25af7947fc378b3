# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Late and concurrent calls: parameters and security groups."""

from __future__ import annotations

import threading
import time
import typing as t
from concurrent.futures import ThreadPoolExecutor

import pytest
from refusals import code


@pytest.fixture(scope="module")
def ssm(account: t.Any) -> t.Any:
    return account.client("ssm")


def put(ssm: t.Any, name: str, value: str = "1", *, overwrite: bool = False) -> str:
    return code(ssm.put_parameter, Name=name, Value=value, Type="String", Overwrite=overwrite)


def test_one_of_two_concurrent_writes_is_refused(account):
    account.control.settings(parameter_write_seconds=3600)
    together = threading.Barrier(2)

    def write(number: int) -> str:
        client = account.client("ssm")
        together.wait()
        return put(client, "/at/once", str(number), overwrite=True)

    with ThreadPoolExecutor(2) as pool:
        codes = pool.map(write, range(2))
        deadline = time.monotonic() + 60
        while not account.control.calls(error="TooManyUpdates") and time.monotonic() < deadline:
            time.sleep(0.02)
        account.control.settings(parameter_write_seconds=0.02)
        assert sorted(codes) == ["", "TooManyUpdates"]
    assert put(account.client("ssm"), "/at/once", overwrite=True) == ""


def test_the_first_read_after_a_write_returns_the_old_value(account, ssm):
    account.control.settings(parameter_lag_seconds=60)
    put(ssm, "/late/one", "old")
    assert [code(ssm.get_parameter, Name="/late/one") for _read in range(2)] == ["ParameterNotFound", ""]
    put(ssm, "/late/one", "new", overwrite=True)
    read = [ssm.get_parameters_by_path(Path="/late")["Parameters"][0]["Value"] for _read in range(2)]
    assert read == ["old", "new"]


def test_each_read_of_a_chosen_parameter_can_return_the_old_value(account, ssm):
    account.control.settings(parameter_lags={"/late/all": 3600})
    put(ssm, "/late/all")
    put(ssm, "/late/other")
    assert [code(ssm.get_parameter, Name="/late/all") for _read in range(3)] == ["ParameterNotFound"] * 3
    assert code(ssm.get_parameter, Name="/late/other") == ""
    account.control.settings(parameter_lags={})
    put(ssm, "/late/all", "new", overwrite=True)
    assert ssm.get_parameter(Name="/late/all")["Parameter"]["Value"] == "new"


def test_a_deleted_name_cannot_be_used_at_once(account, ssm):
    account.control.settings(parameter_rest_seconds=60)
    for delete in (lambda: ssm.delete_parameter(Name="/rests"), lambda: ssm.delete_parameters(Names=["/rests"])):
        account.control.settings(parameter_rest_seconds=0)
        put(ssm, "/rests")
        delete()
        account.control.settings(parameter_rest_seconds=60)
        assert [put(ssm, "/rests", overwrite=overwrite) for overwrite in (False, True)] == ["TooManyUpdates"] * 2
    account.control.settings(parameter_rest_seconds=0)
    assert put(ssm, "/rests") == ""


def test_new_groups_and_rules_become_visible_late(account):
    account.control.settings(security_group_rule_lag_seconds=60, security_group_lag_seconds=60)
    ec2 = account.ec2
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    group = ec2.create_security_group(GroupName="late", Description="late", VpcId=vpc)["GroupId"]
    named = {"Filters": [{"Name": "group-name", "Values": ["late"]}]}
    world = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "10.9.0.0/16"}]}
    rule = {"GroupId": group, "IpPermissions": [world]}
    assert ec2.describe_security_groups(**named)["SecurityGroups"] == []
    assert code(ec2.authorize_security_group_ingress, **rule) == "InvalidGroup.NotFound"
    account.control.settings(security_group_lag_seconds=0)
    late = ec2.create_security_group(GroupName="later", Description="later", VpcId=vpc)["GroupId"]
    assert code(ec2.authorize_security_group_ingress, **{**rule, "GroupId": late}) == ""
    about = {"Filters": [{"Name": "group-id", "Values": [late]}]}
    seen = [ec2.describe_security_group_rules(**about)["SecurityGroupRules"] for _attempt in range(2)]
    assert [[one for one in rules if not one["IsEgress"]] != [] for rules in seen] == [False, True]
