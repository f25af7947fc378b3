# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulator without hosts for each test module, and modules run against it as Ansible runs them."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import time
import typing as t
import urllib.request
from dataclasses import dataclass

import boto3
import pytest

TESTS = pathlib.Path(__file__).resolve().parents[2]
REGION = "us-west-2"
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "AKIATESTING",
    "AWS_SECRET_ACCESS_KEY": "not-a-secret",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
}


@dataclass
class Simulator:
    """The AWS API at ``url``, its control interface, and a way to run our modules against it."""

    url: str

    def client(self, service: str) -> t.Any:
        return boto3.client(
            service,
            endpoint_url=self.url,
            region_name=REGION,
            aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        )

    def control(self, method: str, path: str, body: t.Any = None) -> t.Any:
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=content, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def run(self, module: str, /, *, check: bool = False, **arguments: t.Any) -> dict[str, t.Any]:
        """The module's result, with the mutating calls that it made under ``mutating``."""
        since = self._last_call()
        arguments = {"endpoint_url": self.url, "_ansible_check_mode": check, "_ansible_diff": True, **arguments}
        process = subprocess.run(
            [sys.executable, "-m", f"ansible_collections.mlfleet.hyperpod.plugins.modules.{module}"],
            input=json.dumps({"ANSIBLE_MODULE_ARGS": arguments}),
            env={**os.environ, **CREDENTIALS},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert process.stdout, process.stderr
        result = json.loads(process.stdout)
        calls = self.control("GET", f"/lab/calls?since={since}")
        result["mutating"] = [call["operation"] for call in calls if call["mutating"]]
        result["problems"] = [problem for call in calls for problem in call["problems"]]
        return result

    def _last_call(self) -> int:
        return max((call["sequence"] for call in self.control("GET", "/lab/calls")), default=0)


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulator]:
    state = tmp_path_factory.mktemp("lab")
    arguments = [sys.executable, "-m", "lab.aws.server", "--state", str(state), "--port", "0", "--no-hosts"]
    server = subprocess.Popen(arguments, env={**os.environ, "PYTHONPATH": str(TESTS)})
    try:
        deadline = time.monotonic() + 60
        while not (state / "port").exists() or not (state / "port").read_text().endswith("\n"):
            assert server.poll() is None and time.monotonic() < deadline, "the simulator did not start"
            time.sleep(0.1)
        made = Simulator(f"http://127.0.0.1:{int((state / 'port').read_text())}")
        made.control("POST", "/lab/settings", {"transition_seconds": 0.05})
        yield made
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def faults(simulator: Simulator) -> t.Iterator[t.Callable[..., None]]:
    """Adds a fault rule; all rules are gone after the test."""
    yield lambda **rule: simulator.control("POST", "/lab/faults", rule)
    simulator.control("DELETE", "/lab/faults")
