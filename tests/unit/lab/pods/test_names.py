# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of the names of Services."""

from __future__ import annotations

import typing as t

import pytest
from lab.kubernetes.api import Api, ApiError
from lab.pods.names import Services, addresses, split

ENDPOINTS = {
    "subsets": [
        {"addresses": [{"ip": "10.244.1.2", "hostname": "one"}], "notReadyAddresses": [{"ip": "10.244.1.9"}]},
        {"addresses": [{"ip": "10.244.2.2"}]},
    ]
}


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("train-worker-0.ml.svc.cluster.local", ("", "train-worker-0", "ml")),
        ("one.train.ml.svc.cluster.local", ("one", "train", "ml")),
        ("train.svc.cluster.local", None),
        ("a.b.c.d.svc.cluster.local", None),
        (".train.ml.svc.cluster.local", None),
        ("train.ml.svc.cluster.local.svc.cluster.local", None),
        ("example.com", None),
    ],
)
def test_names_of_services_and_of_their_pods(name: str, parts: tuple[str, str, str] | None) -> None:
    assert split(name) == parts


@pytest.mark.parametrize(
    ("host", "expected"), [("", ["10.244.1.2", "10.244.2.2"]), ("one", ["10.244.1.2"]), ("two", [])]
)
def test_only_ready_pods_have_addresses(host: str, expected: list[str]) -> None:
    assert addresses(ENDPOINTS, host) == expected
    assert addresses({}, host) == []


class Known:
    def get(self, path: str) -> dict[str, t.Any]:
        if path == "/api/v1/namespaces/ml/endpoints/train":
            return ENDPOINTS
        raise ApiError(404, {})


def test_a_name_is_looked_up_for_each_question() -> None:
    services = Services(t.cast(Api, Known()))
    assert services["one.train.ml.svc.cluster.local"] == ["10.244.1.2"]
    for name in ("other.ml.svc.cluster.local", "two.train.ml.svc.cluster.local", "example.com"):
        assert name not in services and services.get(name) is None
