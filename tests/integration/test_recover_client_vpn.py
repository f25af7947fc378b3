"""A client VPN whose calls are throttled or lose their replies, and a teardown beside the VPN of another team."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from client_vpn import certificate
from harness import World
from steps import step
from vpn_places import DECLARED, LOCK, OURS, PLACES, our_groups, secrets

pytestmark = pytest.mark.slow

POLICIES = Path(__file__).resolve().parents[2] / "docs/reference/iam"
OF_THE_CONTROLLER = ("login-access", "client-vpn", "client-vpn-log")
OUTSIDE_THE_POLICY = {"sts:GetCallerIdentity"}
CONFIRMED = ("-e", "teardown_confirm=ml")
PURGED = ("-e", "purge_secrets=true", "-e", "purge_secrets_confirm=ml")


@pytest.fixture
def bare() -> World:
    world = World()
    world.reset(login=1, compute=0)
    return world


def test_a_vpn_survives_failing_calls_and_teardown_keeps_that_of_another_team(bare: World, tmp_path: Path):
    """With an existing authority and server certificate, which runs neither maintain nor remove."""
    world = bare
    with step("existing VPN and certificates"):
        foreign = another_team(world)
        before = state_of(world, foreign)
        given, key_lines, server = own_certificates(world)
        (tmp_path / "vault.yml").write_text(json.dumps(given))
        declared = (*DECLARED, "-e", f"@{tmp_path}/vault.yml")
    with step("client_vpn with lost and throttled calls"):
        for operation in PLACES:
            world.fault(kind="cut_after", operation=operation, times=1)
        world.fault(kind="throttle", service="ec2", probability=0.1, seed=4)
        world.fault(kind="throttle", service="secretsmanager", probability=0.1, seed=5)
        try:
            run = world.playbook("client_vpn", *declared, "-vvv")
        finally:
            world.clear_faults()
        assert run.rc == 0, run.log
        calls = world.calls()
        assert state_of(world, foreign) == before
        seen = run.output + held_secrets(world)
        assert [line for line in key_lines if line in seen] == []
        endpoints = world.aws("ec2").describe_client_vpn_endpoints()["ClientVpnEndpoints"]
        assert [each["ServerCertificateArn"] for each in endpoints if each["ClientCidrBlock"] == "172.20.0.0/20"] == [server]

    with step("check mode of teardown"):
        world.reset_calls()
        planned = world.playbook("teardown", *declared, "--check")
        assert planned.rc == 0, planned.log
        assert world.calls(mutating=True) == []
    with step("teardown"):
        done = world.playbook("teardown", *declared, *CONFIRMED)
        assert done.rc == 0, done.log
        calls += world.calls()
        assert secrets(world) == {"authority", "server", "people/alice", "people/bob"}
        assert our_groups(world) == []
        assert state_of(world, foreign) == before
        found = world.aws("ec2").describe_client_vpn_endpoints()["ClientVpnEndpoints"]
        assert {each["ClientVpnEndpointId"] for each in found if each["Status"]["Code"] != "deleted"} == {foreign["endpoint"]}
        arns = [each["CertificateArn"] for each in world.aws("acm").list_certificates()["CertificateSummaryList"]]
        assert set(arns) == {foreign["certificate"], server}
        groups = [each["logGroupName"] for each in world.aws("logs").describe_log_groups()["logGroups"]]
        assert groups == [foreign["log_group"]]

    with step("purge"):
        world.reset_calls()
        purged = world.playbook("teardown", *declared, *CONFIRMED, *PURGED)
        assert purged.rc == 0, purged.log
        assert {call["operation"] for call in world.calls(mutating=True)} - LOCK == {"DeleteSecret"}
        assert secrets(world) == set()
        assert state_of(world, foreign) == before
        assert _needed(calls + world.calls()) - _allowed() == set()


def own_certificates(world: World) -> tuple[dict[str, t.Any], list[str], str]:
    """The existing certificates of a site as variables, the lines of the authority's key, and the server certificate's ARN."""
    pem, key = certificate("authority.example.com", authority=True)
    server, server_key = certificate("vpn.example.com")
    arn = world.aws("acm").import_certificate(Certificate=server, PrivateKey=server_key)["CertificateArn"]
    authority = {"certificate": pem.decode(), "private_key": key.decode()}
    variables = {"client_vpn_authority": authority, "client_vpn_server_certificate_arn": arn}
    return variables, key.decode().split("\n")[2:-3], arn


def held_secrets(world: World) -> str:
    secretsmanager = world.aws("secretsmanager")
    names = [each["Name"] for each in secretsmanager.list_secrets()["SecretList"]]
    return "\n".join(secretsmanager.get_secret_value(SecretId=name)["SecretString"] for name in names)


def another_team(world: World) -> dict[str, str]:
    """Create a client VPN by hand in the same VPC, with tags that differ from ours as little as possible."""
    ec2, acm, logs = world.aws("ec2"), world.aws("acm"), world.aws("logs")
    vpc = ec2.describe_vpcs(Filters=[{"Name": "tag:Name", "Values": ["lab"]}])["Vpcs"][0]["VpcId"]
    tags = [{"Key": "mlfleet.hyperpod/client-vpn", "Value": vpc}, {"Key": "Name", "Value": f"mlfleet-client-vpn-{vpc}"}]
    pem, key = certificate("vpn.foreign.example.com")
    arn = acm.import_certificate(Certificate=pem, PrivateKey=key, Tags=tags)["CertificateArn"]
    group = ec2.create_security_group(GroupName="their-vpn", Description="foreign", VpcId=vpc)["GroupId"]
    log_group = f"/mlfleet/hyperpod/client-vpn/{vpc}-foreign"
    logs.create_log_group(logGroupName=log_group)
    secret = {"Name": f"{OURS.replace('client', 'their')}/{vpc}/authority", "SecretString": "{}"}
    world.aws("secretsmanager").create_secret(**secret)
    endpoint = ec2.create_client_vpn_endpoint(
        ClientCidrBlock="172.28.0.0/20",
        ServerCertificateArn=arn,
        AuthenticationOptions=[
            {"Type": "certificate-authentication", "MutualAuthentication": {"ClientRootCertificateChainArn": arn}}
        ],
        ConnectionLogOptions={"Enabled": False},
        VpcId=vpc,
        SecurityGroupIds=[group],
        TagSpecifications=[{"ResourceType": "client-vpn-endpoint", "Tags": tags}],
    )["ClientVpnEndpointId"]
    subnet = world.subnets()[0]
    ec2.associate_client_vpn_target_network(ClientVpnEndpointId=endpoint, SubnetId=subnet)
    ec2.authorize_client_vpn_ingress(
        ClientVpnEndpointId=endpoint, TargetNetworkCidr="10.1.1.0/24", AuthorizeAllGroups=True
    )
    found = {"endpoint": endpoint, "certificate": arn, "group": group, "log_group": log_group}
    found["secret"] = secret["Name"]
    world.eventually(lambda: _settled(world, endpoint))
    return found


def _settled(world: World, endpoint: str) -> None:
    ec2 = world.aws("ec2")
    networks = ec2.describe_client_vpn_target_networks(ClientVpnEndpointId=endpoint)["ClientVpnTargetNetworks"]
    rules = ec2.describe_client_vpn_authorization_rules(ClientVpnEndpointId=endpoint)["AuthorizationRules"]
    assert [each["Status"]["Code"] for each in networks + rules] == ["associated", "active"]


def state_of(world: World, foreign: dict[str, str]) -> str:
    """All objects of the other team, as a text to compare."""
    ec2, which = world.aws("ec2"), {"ClientVpnEndpointId": foreign["endpoint"]}
    found = [
        ec2.describe_client_vpn_endpoints(ClientVpnEndpointIds=[foreign["endpoint"]])["ClientVpnEndpoints"],
        ec2.describe_client_vpn_target_networks(**which)["ClientVpnTargetNetworks"],
        ec2.describe_client_vpn_authorization_rules(**which)["AuthorizationRules"],
        ec2.describe_client_vpn_routes(**which)["Routes"],
        world.aws("acm").get_certificate(CertificateArn=foreign["certificate"])["Certificate"],
        world.aws("acm").list_tags_for_certificate(CertificateArn=foreign["certificate"])["Tags"],
        ec2.describe_security_groups(GroupIds=[foreign["group"]])["SecurityGroups"],
        world.aws("logs").describe_log_groups(logGroupNamePrefix=foreign["log_group"])["logGroups"],
        world.aws("secretsmanager").get_secret_value(SecretId=foreign["secret"])["SecretString"],
    ]
    return json.dumps(found, default=str, sort_keys=True)


def _needed(calls: list[dict[str, t.Any]]) -> set[str]:
    prefix = {"elbv2": "elasticloadbalancing"}
    found = {f"{prefix.get(call['service'], call['service'])}:{call['operation']}" for call in calls}
    return found - OUTSIDE_THE_POLICY


def _allowed() -> set[str]:
    policies = [json.loads((POLICIES / f"{name}.json").read_text()) for name in OF_THE_CONTROLLER]
    actions = [statement["Action"] for policy in policies for statement in policy["Statement"]]
    return {action for each in actions for action in ([each] if isinstance(each, str) else each)}
