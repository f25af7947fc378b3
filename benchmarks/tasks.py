# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU time of one task on the controller: our modules that make one or two API calls, compared with modules of amazon.aws.

The API is simulated, without machines and without latency.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import typing as t
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
TIMES = 20
PEERS = ("amazon.aws.aws_caller_info", "amazon.aws.ec2_vpc_subnet_info", "amazon.aws.elb_application_lb_info")
OURS = ("mlfleet.hyperpod.cluster_info", "mlfleet.hyperpod.service_quota_info", "mlfleet.hyperpod.client_vpn_endpoint_info")


def rows() -> t.Iterator[tuple[str, str]]:
    sys.path[:0] = [str(HERE), str(TESTS), *os.environ["ANSIBLE_COLLECTIONS_PATH"].split(":")]
    import measure
    from simulated import REGION, simulator

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with simulator(folder) as url:
            variables = {
                "AWS_ENDPOINT_URL": url,
                "AWS_REGION": REGION,
                "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
                "AWS_SECRET_ACCESS_KEY": "secret-example",
                "PYTHONPATH": "",  # without the fork server of the lab
            }

            def run(module: str | None) -> measure.Took:
                path = folder / "play.json"
                path.write_text(json.dumps([play(module)]))
                return measure.run(["ansible-playbook", "-i", "localhost,", str(path)], **variables)[0]

            rest = run(None)
            costs = {module: (run(module).processor - rest.processor) / TIMES for module in (*PEERS, *OURS)}
    slowest = max(costs[module] for module in PEERS)
    for module, cost in costs.items():
        ratio = "" if module in PEERS else f", {cost / slowest:.2f} times the slowest of amazon.aws here"
        yield f"one task of {module}, from {TIMES}", f"processor {cost:.2f} s{ratio}"


def play(module: str | None) -> dict[str, t.Any]:
    """A play that runs the module some times; None for one that does nothing."""
    task = {"name": "Run", module or "ansible.builtin.debug": {}, "loop": list(range(TIMES))}
    return {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": [task]}
