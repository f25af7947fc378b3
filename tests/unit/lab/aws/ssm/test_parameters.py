# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameter Store by boto3 against the simulator."""

from __future__ import annotations

import concurrent.futures
import typing as t

import pytest
from refusals import code


@pytest.fixture(scope="module")
def ssm(account: t.Any) -> t.Any:
    return account.client("ssm")


def test_parameter_is_written_once(ssm):
    put = {"Name": "/mlfleet/once", "Value": "a", "Type": "String"}
    assert [code(ssm.put_parameter, **put) for _turn in range(2)] == ["", "ParameterAlreadyExists"]
    assert ssm.put_parameter(**{**put, "Value": "b"}, Overwrite=True)["Version"] == 2
    assert ssm.get_parameter(Name="/mlfleet/once")["Parameter"]["Value"] == "b"
    assert [code(ssm.delete_parameter, Name="/mlfleet/once") for _turn in range(2)] == ["", "ParameterNotFound"]
    assert code(ssm.get_parameter, Name="/mlfleet/once") == "ParameterNotFound"


def test_only_one_of_many_writers_succeeds(account):
    clients = [account.client("ssm") for _turn in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        put = [pool.submit(code, c.put_parameter, Name="/lock", Value="x", Type="String") for c in clients]
    answers = [one.result() for one in put]
    assert answers.count("") == 1 and {*answers} <= {"", "ParameterAlreadyExists", "TooManyUpdates"}


def test_deleted_in_bulk(ssm):
    ssm.put_parameter(Name="/bulk/a", Value="1", Type="String")
    answer = ssm.delete_parameters(Names=["/bulk/a", "/bulk/none"])
    assert (answer["DeletedParameters"], answer["InvalidParameters"]) == (["/bulk/a"], ["/bulk/none"])


def test_a_page_has_ten_parameters(ssm):
    for number in range(23):
        ssm.put_parameter(Name=f"/paged/trust/{number:02}", Value="x", Type="String")
    ssm.put_parameter(Name="/pagedother", Value="x", Type="String")
    pages = list(ssm.get_paginator("get_parameters_by_path").paginate(Path="/paged", Recursive=True))
    assert [len(page["Parameters"]) for page in pages] == [10, 10, 3]
    assert code(ssm.get_parameters_by_path, Path="/paged", MaxResults=11) == "ValidationException"
    assert ssm.get_parameters_by_path(Path="/paged")["Parameters"] == []


@pytest.mark.parametrize(
    "value, more, expected",
    [
        ("x" * 4096, {}, ""),
        ("x" * 4097, {}, "ValidationException"),
        ("é" * 2049, {}, "ValidationException"),
        ("x" * 4097, {"Tier": "Advanced"}, ""),
    ],
)
def test_standard_parameters_hold_four_kilobytes(ssm, value, more, expected):
    assert code(ssm.put_parameter, Name="/size", Value=value, Type="String", Overwrite=True, **more) == expected
    code(ssm.delete_parameter, Name="/size")


def test_tags_of_parameters(ssm):
    ssm.put_parameter(Name="/tagged", Value="x", Type="String", Tags=[{"Key": "a", "Value": "1"}])
    resource = {"ResourceType": "Parameter", "ResourceId": "/tagged"}
    ssm.add_tags_to_resource(**resource, Tags=[{"Key": "b", "Value": "2"}])
    assert {tag["Key"] for tag in ssm.list_tags_for_resource(**resource)["TagList"]} == {"a", "b"}
