# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in for the Session Manager plugin, called as by awscli."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import typing as t

import pytest

PLUGIN = pathlib.Path(__file__).resolve().parents[3] / "lab" / "bin" / "session-manager-plugin"


@pytest.fixture
def fake_host(tmp_path: pathlib.Path) -> t.Iterator[pathlib.Path]:
    """Namespaces with a server on port 2222, and their entry in the registry of hosts."""
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
    assert (fake_host / "ran").exists(), "the command ran anyway"


@pytest.mark.parametrize("document", [None, "AWS-StartSSHSession"])
def test_plugin_prints_nothing_if_its_channel_is_refused(fake_host, document):
    with pytest.raises(subprocess.TimeoutExpired) as caught:
        plugin(fake_host, document, b"echo $((6*7)); exit\n", timeout=3, refused=True)
    assert caught.value.stdout == b"\nStarting session with SessionId: s-1\n"


@pytest.mark.parametrize("set_to, version", [(None, "1.2.999.0"), ("1.2.763.0", "1.2.763.0")])
def test_plugin_prints_its_version(set_to, version):
    environment = {**os.environ, **({"LAB_PLUGIN_VERSION": set_to} if set_to else {})}
    done = subprocess.run([str(PLUGIN), "--version"], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{version}\n"


def test_plugin_without_a_host(tmp_path):
    assert plugin(tmp_path, None, b"")[0] == 255
