# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules as processes of their own, against the lab's simulated API without hosts."""

from __future__ import annotations

import dataclasses
import json
import time
import typing as t
import urllib.error

import pytest
from ansible.module_utils.common.parameters import PASS_VARS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import lines_of
from simulated import Simulated, simulator

# As with --diff -vvv. ansible-core 2.19 always returns the invocation, and later ones when they are asked to.
VERBOSE = {f"_ansible_{name}": True for name in ("diff", "inject_invocation") if name in PASS_VARS}


class Lab(Simulated):
    """The simulated API; modules as with ``--diff -vvv``."""

    def start(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        return super().start(module, check=check, **{**VERBOSE, **options})

    def warnings(self, result: dict[str, t.Any]) -> str:
        """All in one; their form differs between releases of ansible-core."""
        return json.dumps(result.get("warnings", []))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Lab]:
    with simulator(tmp_path_factory.mktemp("lab")) as url:
        lab = Lab(url)
        lab.control(
            "settings", {"transition_seconds": 0.05, "client_vpn_seconds": 0.05, "client_vpn_linger_seconds": 0.1}
        )
        yield lab
        lab.stop()


@pytest.fixture
def lab(running: Lab) -> t.Iterator[Lab]:
    """The lab without secrets or faults of an earlier test. No private key may have been printed meanwhile."""
    running.printed.clear()
    yield running
    running.clear_faults()
    running.control("settings", {"listing_lag_seconds": 0, "forced_deletion_seconds": 0, "acm_seconds": 0})
    secrets, printed = running.client("secretsmanager"), "".join(running.printed)
    for secret in secrets.list_secrets(IncludePlannedDeletion=True)["SecretList"]:
        secrets.restore_secret(SecretId=secret["Name"])
        for line in key_lines(secrets.get_secret_value(SecretId=secret["Name"])["SecretString"]):
            assert line not in printed, f"a line of the key in {secret['Name']} was printed"
        secrets.delete_secret(SecretId=secret["Name"], ForceDeleteWithoutRecovery=True)
    assert "PRIVATE KEY" not in printed


def key_lines(text: str) -> list[str]:
    """The inner lines of the private key in a secret, if it holds one."""
    try:
        key = json.loads(text)["private_key"] or ""
    except (ValueError, KeyError, TypeError):
        return []
    return lines_of(key)[2:-2]


@dataclasses.dataclass(frozen=True)
class Endpoint:
    """An endpoint with a server certificate of ours, to which clients can connect."""

    lab: Lab
    id: str
    vpc: str

    @property
    def prefix(self) -> str:
        return f"mlfleet/hyperpod/client-vpn/{self.vpc}"

    def state(self) -> str:
        shown = self.lab.client("ec2").describe_client_vpn_endpoints()["ClientVpnEndpoints"]
        return next((each["Status"]["Code"] for each in shown if each["ClientVpnEndpointId"] == self.id), "deleted")

    def remove(self) -> None:
        """With its associations, unless a test has done so."""
        if self.state() in ("deleting", "deleted"):
            return
        ec2 = self.lab.client("ec2")

        def networks() -> list[dict[str, t.Any]]:
            answer = ec2.describe_client_vpn_target_networks(ClientVpnEndpointId=self.id)
            return answer["ClientVpnTargetNetworks"]

        for network in networks():
            ec2.disassociate_client_vpn_target_network(
                ClientVpnEndpointId=self.id, AssociationId=network["AssociationId"]
            )
        until(lambda: not networks())
        ec2.delete_client_vpn_endpoint(ClientVpnEndpointId=self.id)

    def connect(self, name: str, serial: str = "0") -> t.Any:
        """The connection, or None when it is refused. The tunnels of an available endpoint follow a moment later."""
        return until_told(
            lambda: self.lab.control("vpn-connect", {"endpoint_id": self.id, "common_name": name, "serial": serial})
        )

    def connected(self) -> list[str]:
        found = self.lab.client("ec2").describe_client_vpn_connections(ClientVpnEndpointId=self.id)["Connections"]
        return sorted(each["CommonName"] for each in found if each["Status"]["Code"] == "active")


def until(true: t.Callable[[], t.Any], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.05)


def until_told(ask: t.Callable[[], t.Any], seconds: float = 20.0) -> t.Any:
    """The answer, once there is one and no error."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except urllib.error.HTTPError:
            assert time.monotonic() < deadline, "nothing but errors"
        time.sleep(0.05)


@pytest.fixture
def endpoint(lab: Lab) -> t.Iterator[Endpoint]:
    ec2 = lab.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.1.0/24", AvailabilityZone="us-west-2a")["Subnet"]["SubnetId"]
    lab.run("client_vpn_pki", vpc_id=vpc)
    server = lab.run("client_vpn_certificate", vpc_id=vpc)["client_vpn_certificate"]["certificate_arn"]
    mutual = {"Type": "certificate-authentication", "MutualAuthentication": {"ClientRootCertificateChainArn": server}}
    made_id = ec2.create_client_vpn_endpoint(
        ServerCertificateArn=server,
        AuthenticationOptions=[mutual],
        ConnectionLogOptions={"Enabled": False},
        ClientCidrBlock="10.250.0.0/22",
        SplitTunnel=True,
        VpcId=vpc,
    )["ClientVpnEndpointId"]
    ec2.associate_client_vpn_target_network(ClientVpnEndpointId=made_id, SubnetId=subnet)

    made = Endpoint(lab, made_id, vpc)
    until(lambda: made.state() == "available")
    yield made
    lab.clear_faults()
    made.remove()
    lab.run("client_vpn_certificate", vpc_id=vpc, state="absent", poll_interval=1)
