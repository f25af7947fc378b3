# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The health check of the accelerators of 64 nodes, compared with a loop of commands that collects the same; and its CPU time.

All 64 are one machine of the lab under 64 names, so that one computer can hold them. Both ways run on the same machine.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import typing as t
from pathlib import Path

import measure

HERE = Path(__file__).resolve().parent
NODES, GROUP, TYPE, CHECKS = 64, "worker-group-1", "ml.p5.48xlarge", 5
CHECK = """\
import json, resource, sys, time
sys.path.insert(0, sys.argv[1])
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import load, observe, options, tools
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import expected_devices
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import judge, look
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import memory, profile

def used(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime

root, kind = sys.argv[2:]
node_tools = tools.Tools(seconds=30, remembered=f"{root}/hung", paths=f"{root}/bin:/usr/bin:/bin")
seen = observe.Observer(options.Places(root, f"{root}/sys", f"{root}/proc"), node_tools, dcgm_asked=load.Asked(1)).observe()
wanted = expected_devices.expected(kind, gpus=None, efa=None, neuron=None)
verdict = judge.judge(look.Look(seen, wanted, profile.Profile(), memory.Memory("i-0"), time.time())).verdict
print(json.dumps([verdict, used(resource.RUSAGE_SELF), used(resource.RUSAGE_CHILDREN)]))
"""
"""The work of the module on a node, in a Python process of its own."""


def rows() -> t.Iterator[tuple[str, str]]:
    sys.path.insert(0, str(HERE.parent / "tests" / "integration"))
    from harness import World
    from lab.accelerators.story import healthy

    if not measure.KNOWN_HOSTS.exists():  # this case runs alone, so the nodes have no accounts yet
        measure.run(["ansible-playbook", "mlfleet.hyperpod.login_access"])
    world = World()
    node = world.hosts(GROUP)[0]
    world.accelerate(node["name"], healthy(TYPE))
    try:
        with tempfile.TemporaryDirectory() as temporary:
            inventory = fleet(Path(temporary), f"ml-{node['instance_id']}")
            rest, ours, loop = (play(name, inventory) for name in ("reach", "health", "health_loop"))
    finally:
        world.decelerate(node["name"])
    yield f"a play that only reaches {NODES} nodes", measure.seconds(rest)
    yield f"accelerator_health on {NODES} nodes", measure.seconds(ours)
    yield f"ansible.builtin.command in a loop on {NODES} nodes", measure.seconds(loop)
    yield "ratio", f"{loop / ours:.1f} times; beyond what a play costs {(loop - rest) / (ours - rest):.1f} times"
    own, children = processor()
    yield f"processor of one check of 8 GPUs and 32 EFA devices, least of {CHECKS}", f"Python {own:.2f} s, tools {children:.2f} s"


def fleet(folder: Path, host: str) -> Path:
    """An inventory of one node under many names."""
    _took, host_variables = measure.run(["ansible-inventory", "-i", str(measure.INVENTORY), "--host", host])
    path = folder / "fleet.json"
    hosts = {f"node-{number:02d}": {} for number in range(NODES)}
    path.write_text(json.dumps({"fleet": {"hosts": hosts, "vars": json.loads(host_variables)}}))
    return path


def play(name: str, inventory: Path) -> measure.Took:
    took, _out = measure.run(["ansible-playbook", "-i", str(inventory), str(HERE / "playbooks" / f"{name}.yml")])
    return took


def processor() -> tuple[float, float]:
    """CPU seconds of one check: of its Python with the start, and of the tools that it runs."""
    from lab.accelerators.present import present
    from lab.accelerators.story import healthy

    with tempfile.TemporaryDirectory() as root:
        present(healthy(TYPE), Path(root))
        used = [_check(root) for _turn in range(CHECKS)]
    return min(own for own, _children in used), min(children for _own, children in used)


def _check(root: str) -> tuple[float, float]:
    collections = os.environ["ANSIBLE_COLLECTIONS_PATH"].split(":")[0]
    _took, output = measure.run([sys.executable, "-c", CHECK, collections, root, TYPE])
    verdict, own, children = json.loads(output)
    if verdict != "fit":
        sys.exit(f"this node must be fit, not {verdict}")
    return own, children
