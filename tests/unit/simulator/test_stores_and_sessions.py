# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters, secrets, identities and sessions by boto3 against the simulator."""

from __future__ import annotations

import base64
import concurrent.futures
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import typing as t

import boto3
import pytest
from botocore.exceptions import ClientError

PLUGIN = pathlib.Path(__file__).resolve().parents[2] / "lab" / "bin" / "session-manager-plugin"
TOKEN = "0123456789abcdef0123456789abcdef"


def code(call: t.Callable[..., t.Any], **arguments: t.Any) -> str:
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return ""


@pytest.fixture(scope="module")
def ssm(account: t.Any) -> t.Any:
    return account.client("ssm")


@pytest.fixture(scope="module")
def secrets(account: t.Any) -> t.Any:
    return account.client("secretsmanager")


@pytest.fixture(scope="module")
def target(account: t.Any) -> str:
    arn = account.cluster("ml", account.group("login-group", 1, "Login"))
    row = account.control.nodes("ml")[0]
    assert row["ssm_target"] == f"sagemaker-cluster:{arn.rsplit('/', 1)[1]}_login-group-{row['instance_id']}"
    return row["ssm_target"]


def test_parameter_is_written_once(ssm):
    put = {"Name": "/mlfleet/once", "Value": "a", "Type": "String"}
    assert [code(ssm.put_parameter, **put) for _turn in range(2)] == ["", "ParameterAlreadyExists"]
    assert ssm.put_parameter(**{**put, "Value": "b"}, Overwrite=True)["Version"] == 2
    assert ssm.get_parameter(Name="/mlfleet/once")["Parameter"]["Value"] == "b"
    assert [code(ssm.delete_parameter, Name="/mlfleet/once") for _turn in range(2)] == ["", "ParameterNotFound"]
    assert code(ssm.get_parameter, Name="/mlfleet/once") == "ParameterNotFound"


def test_of_many_writers_one_wins(account):
    clients = [account.client("ssm") for _turn in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        put = [pool.submit(code, c.put_parameter, Name="/lock", Value="x", Type="String") for c in clients]
    answers = [one.result() for one in put]
    assert answers.count("") == 1 and {*answers} <= {"", "ParameterAlreadyExists", "TooManyUpdates"}


def test_deleted_in_bulk(ssm):
    ssm.put_parameter(Name="/bulk/a", Value="1", Type="String")
    answer = ssm.delete_parameters(Names=["/bulk/a", "/bulk/none"])
    assert (answer["DeletedParameters"], answer["InvalidParameters"]) == (["/bulk/a"], ["/bulk/none"])


def test_parameters_come_ten_a_page(ssm):
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
    where = {"ResourceType": "Parameter", "ResourceId": "/tagged"}
    ssm.add_tags_to_resource(**where, Tags=[{"Key": "b", "Value": "2"}])
    assert {tag["Key"] for tag in ssm.list_tags_for_resource(**where)["TagList"]} == {"a", "b"}


def test_secret_is_created_once(secrets):
    made = secrets.create_secret(Name="keys", SecretString="1", ClientRequestToken=TOKEN)
    again = secrets.create_secret(Name="keys", SecretString="1", ClientRequestToken=TOKEN)
    assert again["ARN"] == made["ARN"] and again["VersionId"] == TOKEN
    assert code(secrets.create_secret, Name="keys", SecretString="1") == "ResourceExistsException"
    other = {"Name": "keys", "SecretString": "2", "ClientRequestToken": TOKEN}
    assert code(secrets.create_secret, **other) == "ResourceExistsException"


def test_secret_scheduled_for_deletion_is_not_told(secrets):
    secrets.create_secret(Name="doomed", SecretString="1")
    secrets.delete_secret(SecretId="doomed", RecoveryWindowInDays=7)
    assert code(secrets.get_secret_value, SecretId="doomed") == "InvalidRequestException"
    assert code(secrets.create_secret, Name="doomed", SecretString="1") == "InvalidRequestException"
    assert "DeletedDate" in secrets.describe_secret(SecretId="doomed")
    secrets.restore_secret(SecretId="doomed")
    assert secrets.get_secret_value(SecretId="doomed")["SecretString"] == "1"
    secrets.delete_secret(SecretId="doomed", ForceDeleteWithoutRecovery=True)
    assert code(secrets.get_secret_value, SecretId="doomed") == "ResourceNotFoundException"


def test_secret_versions_move_their_stages(secrets):
    secrets.create_secret(Name="rotated", SecretString="1")
    secrets.put_secret_value(SecretId="rotated", SecretString="2", ClientRequestToken=TOKEN)
    stages = {
        stage: secrets.get_secret_value(SecretId="rotated", VersionStage=stage)["SecretString"]
        for stage in ("AWSCURRENT", "AWSPREVIOUS")
    }
    assert stages == {"AWSCURRENT": "2", "AWSPREVIOUS": "1"}


def test_the_key_tells_the_account(account):
    for number in ("111111111111", "222222222222"):
        assert type(account)(account.url, number).client("sts").get_caller_identity()["Account"] == number


def test_a_profile_with_a_role_lands_in_the_other_account(account, tmp_path, monkeypatch):
    (tmp_path / "config").write_text(
        "[profile lab]\nregion = us-west-2\n[profile other]\nregion = us-west-2\nsource_profile = lab\n"
        "role_arn = arn:aws:iam::222222222222:role/lab\n"
    )
    (tmp_path / "credentials").write_text("[lab]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = x\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", account.url)
    for variable in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    identities = {
        profile: boto3.Session(profile_name=profile).client("sts").get_caller_identity()["Account"]
        for profile in ("lab", "other")
    }
    assert identities == {"lab": "111111111111", "other": "222222222222"}
    boto3.Session(profile_name="other").client("ssm").put_parameter(Name="/theirs", Value="x", Type="String")
    assert code(account.client("ssm").get_parameter, Name="/theirs") == "ParameterNotFound"
    theirs = type(account)(account.url, "222222222222").client("ssm")
    assert theirs.get_parameter(Name="/theirs")["Parameter"]["Value"] == "x"


def test_sessions_begin_and_end(ssm, target):
    time.sleep(1.1)
    session = ssm.start_session(Target=target, DocumentName="AWS-StartSSHSession", Parameters={"portNumber": ["22"]})
    assert session["StreamUrl"].endswith(session["SessionId"]) and session["TokenValue"]
    assert [one["Target"] for one in ssm.describe_sessions(State="Active")["Sessions"]] == [target]
    ssm.terminate_session(SessionId=session["SessionId"])
    assert ssm.describe_sessions(State="Active")["Sessions"] == []


@pytest.mark.parametrize(
    "change, expected",
    [
        ({"Target": "sagemaker-cluster:abcdefghijkl_login-group-i-0123456789abcdef0"}, "TargetNotConnected"),
        ({"Target": "i-0123456789abcdef0"}, "TargetNotConnected"),
        ({"DocumentName": "Unknown"}, "InvalidDocument"),
    ],
)
def test_refused_sessions(ssm, target, change, expected):
    time.sleep(0.4)
    assert code(ssm.start_session, **{"Target": target, **change}) == expected


def test_sessions_of_another_account_are_out_of_reach(account, target):
    theirs = type(account)(account.url, "222222222222").client("ssm")
    assert code(theirs.start_session, Target=target) == "TargetNotConnected"


def test_a_node_that_is_off_has_no_sessions(account, ssm, target):
    (node,) = account.control.nodes("ml")
    time.sleep(1.1)
    account.control.power("off", node["instance_id"])
    assert account.control.nodes("ml") == [node] and node["status"] == "Running"
    assert code(ssm.start_session, Target=target) == "TargetNotConnected"
    account.control.power("on", node["instance_id"])
    assert code(ssm.start_session, Target=target) == ""


def test_three_sessions_a_second(ssm, target):
    time.sleep(1.1)
    assert [code(ssm.start_session, Target=target) for _turn in range(5)] == [""] * 3 + ["ThrottlingException"] * 2
    time.sleep(1.1)
    assert code(ssm.start_session, Target=target) == ""


@pytest.fixture
def fake_host(tmp_path: pathlib.Path) -> t.Iterator[pathlib.Path]:
    """Namespaces with a server on port 2222, in a registry as the lab's hosts have it."""
    if os.geteuid() != 0:
        pytest.skip("namespaces need root")
    server = (
        "import socket\ns = socket.create_server(('127.0.0.1', 2222))\nwhile True:\n c = s.accept()[0]\n d = b''\n"
        " while x := c.recv(65536): d += x\n c.sendall(b'got ' + d)\n c.close()\n"
    )
    inside = f'ip link set lo up; hostname fakehost; exec {sys.executable} -c "$SERVER"'
    arguments = ["unshare", "-muinpf", "--mount-proc", "--kill-child", "bash", "-c", inside]
    process = subprocess.Popen(arguments, env={**os.environ, "SERVER": server})
    try:
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        deadline = time.monotonic() + 10
        while (
            not (pid := children.read_text().strip())
            or ":08AE " not in pathlib.Path(f"/proc/{pid}/net/tcp").read_text()
        ):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
        (tmp_path / "hosts").mkdir()
        (tmp_path / "hosts" / "i-1.json").write_text(json.dumps({"instance_id": "i-1", "pid": int(pid)}))
        yield tmp_path
    finally:
        with contextlib.suppress(ProcessLookupError, ValueError):
            os.kill(int(pid), signal.SIGKILL)
        process.wait(10)


def plugin(
    state: pathlib.Path, document: str | None, text: bytes, *, timeout: float = 20, **token: t.Any
) -> tuple[int, str]:
    """Run the stand-in as awscli does."""
    value = base64.urlsafe_b64encode(json.dumps({"instance_id": "i-1", **token}).encode()).decode()
    response = json.dumps({"SessionId": "s-1", "TokenValue": value, "StreamUrl": ""})
    request: dict[str, t.Any] = {"Target": "x"}
    if document:
        request |= {"DocumentName": document, "Parameters": {"portNumber": ["2222"]}}
    done = subprocess.run(
        [str(PLUGIN), "RESPONSE", "us-west-2", "StartSession", "", json.dumps(request), "http://127.0.0.1:5000"],
        input=text,
        capture_output=True,
        timeout=timeout,
        check=False,
        env={**os.environ, "RESPONSE": response, "LAB_STATE": str(state)},
    )
    return done.returncode, done.stdout.decode().replace("\r", "")


def test_plugin_joins_a_port(fake_host):
    status, output = plugin(fake_host, "AWS-StartSSHSession", b"x" * 200_000)
    assert (status, output) == (0, "\nStarting session with SessionId: s-1\ngot " + "x" * 200_000)


@pytest.mark.parametrize("text", [b"hostname; echo $((6*7)); exit\n", b"hostname; echo $((6*7))\n"])
def test_plugin_opens_a_root_shell(fake_host, text):
    status, output = plugin(fake_host, None, text)
    assert status == 0
    assert "\n42\n" in output and "fakehost\n" in output, output
    assert output.endswith("\n\nExiting session with sessionId: s-1.\n\n")
    assert "echo $((6*7))" in output, "a terminal echoes"


def test_plugin_can_lose_the_output(fake_host):
    status, output = plugin(
        fake_host, None, b'touch "$PWD/../%s/ran"; echo $((6*7)); exit\n' % str(fake_host).encode(), empty=True
    )
    assert (status, "42" in output, "Cannot perform start session: EOF" in output) == (0, False, True)
    assert (fake_host / "ran").exists(), "the command ran all the same"


@pytest.mark.parametrize("document", [None, "AWS-StartSSHSession"])
def test_plugin_is_silent_where_its_channel_is_refused(fake_host, document):
    with pytest.raises(subprocess.TimeoutExpired) as caught:
        plugin(fake_host, document, b"echo $((6*7)); exit\n", timeout=3, refused=True)
    assert caught.value.stdout == b"\nStarting session with SessionId: s-1\n"


def test_a_fault_refuses_the_channel(account, ssm, target):
    time.sleep(1.1)
    account.control.faults({"kind": "ssm_refused_channel", "operation": "StartSession", "times": 1})
    tokens = [ssm.start_session(Target=target)["TokenValue"] for _turn in range(2)]
    assert [json.loads(base64.urlsafe_b64decode(token))["refused"] for token in tokens] == [True, False]


@pytest.mark.parametrize("set_to, said", [(None, "1.2.999.0"), ("1.2.763.0", "1.2.763.0")])
def test_plugin_says_its_version(set_to, said):
    environment = {**os.environ, **({"LAB_PLUGIN_VERSION": set_to} if set_to else {})}
    done = subprocess.run([str(PLUGIN), "--version"], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{said}\n"


def test_plugin_without_a_host(tmp_path):
    assert plugin(tmp_path, None, b"")[0] == 255
