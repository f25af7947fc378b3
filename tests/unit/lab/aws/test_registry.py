# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The registry of the lab at one port: as a server with TLS, and as the proxy to itself."""

from __future__ import annotations

import http.client
import ssl
import typing as t
from pathlib import Path

import pytest
from lab.aws.ecr import tokens
from lab.aws.registry import server
from lab.kubernetes.pki import Authority
from lab.names import ACCOUNT, REGION, REGISTRY


@pytest.mark.parametrize(("region", "status"), [(REGION, 200), ("us-east-1", 401)])
@pytest.mark.parametrize("proxy", [False, True])
def test_a_token_is_valid_in_its_region_only(proxy: bool, region: str, status: int, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    trusted = ssl.create_default_context(cafile=str(tmp_path / "ca.crt"))
    with server.served(_no_client, authority=authority, hosts=("127.0.0.1", REGISTRY)) as registry:
        connection = http.client.HTTPSConnection(*registry.address, timeout=10, context=trusted)
        if proxy:
            connection.set_tunnel(REGISTRY, 443)
        headers = {"Host": REGISTRY, "Authorization": f"Basic {tokens.token(ACCOUNT, region)}"}
        connection.request("GET", "/v2/", headers=headers)
        assert connection.getresponse().status == status
        connection.close()


def _no_client(account: str, region: str) -> t.NoReturn:
    raise AssertionError(f"ECR in {account} and {region} was called")
