#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One test of NCCL over Slurm nodes."""

from __future__ import annotations

DOCUMENTATION = r"""
module: nccl_test
version_added: 0.1.0
short_description: Measure how fast the GPUs of Slurm nodes exchange data, and prove over what
author:
  - mlfleet (@mlfleet)
description:
  - Starts one C(all_reduce_perf) of nccl-tests over idle nodes by C(srun), waits for it, and compares the bus bandwidth with what
    is usual for so many nodes of that type. Where the image of the nodes has no nccl-tests, PyTorch does the same. It starts
    only if root alone can change its whole tree, without C(site) and C(.pth) files, and never as root.
  - The nodes are allocated for the test alone and with a time limit, so no job starts beside it. A node with jobs is refused.
  - What fails in the test itself (no memory, no program, versions that do not fit, closed security groups) is V(not_run), and
    tells nothing of the nodes.
  - The job belongs to the account C(nobody). If Slurm refuses that account, nccl-tests runs as root, and RV(nccl_test.evidence)
    says so. PyTorch does not; without nccl-tests the verdict is V(not_run) then.
  - It loads the GPUs and the network of these nodes for about a minute. It was not run on GPUs yet.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
    details:
      - It asks Slurm and starts nothing. The verdict is V(not_run) then.
  diff_mode:
    support: none
  idempotent:
    support: none
    details:
      - It measures with each run.
options:
  addresses:
    description:
      - Private IPv4 addresses of the nodes. All have the same type.
    type: list
    elements: str
    required: true
  instance_type:
    description:
      - Type of the nodes, by which the usual bandwidth is known.
    type: str
    required: true
  gpus:
    description:
      - GPUs of each node, V(1) to V(16).
    type: int
    required: true
  bytes:
    description:
      - Size of the largest message, which is the one that is judged. V(16777216) to V(137438953472).
      - By default 4 GiB on p5 and newer, else 1 GiB.
    type: int
  program:
    description:
      - Path of C(all_reduce_perf) on the nodes, built with MPI. By default it is looked for in the folders of AWS' images for deep
        learning and of AWS' samples.
      - Refused if anyone but root can change it, a folder above it, or what a link on the way leads to.
    type: path
    default: ""
  mpi:
    description:
      - Plugin with which C(srun) starts the tasks.
    type: str
    default: pmix
  efa:
    description:
      - Whether the nodes have EFA devices. With more than one node, the test passes only if NCCL's log proves that EFA carried the
        data then.
    type: bool
    default: true
  reference:
    description:
      - Bus bandwidth in GB/s that you have measured on such nodes when they were well, instead of the published one.
    type: float
  floor_percent:
    description:
      - Least bandwidth in percent of what is usual, V(1) to V(100).
    type: int
    default: 65
  beside_jobs:
    description:
      - Whether to start the test beside jobs, which it slows down. Slurm allows it only where the partition lets jobs share nodes.
    type: bool
    default: false
  timeout:
    description:
      - Seconds for the test, V(60) to V(3600). Then it is ended.
    type: int
    default: 600
  queue_timeout:
    description:
      - Seconds to wait for jobs on the nodes that are ending, and then for Slurm to allocate the nodes, V(1) to V(3600).
    type: int
    default: 60
requirements:
  - Slurm's commands on the node on which it runs, best a controller
  - On the nodes of the test, nccl-tests with MPI, or PyTorch in C(/opt/pytorch), C(/opt/venv), C(/opt/conda) or the system's Python
seealso:
  - module: mlfleet.hyperpod.slurm_nodes
  - module: mlfleet.hyperpod.accelerator_health
  - name: nccl-tests
    description: What bus bandwidth is.
    link: https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
"""

EXAMPLES = r"""
- name: Measure two nodes
  mlfleet.hyperpod.nccl_test:
    addresses: [10.1.2.3, 10.1.2.4]
    instance_type: ml.p5.48xlarge
    gpus: 8
  become: true
  register: measured

- name: Stop unless EFA carried it fast enough
  ansible.builtin.assert:
    that: measured.nccl_test.verdict == 'passed'
"""

RETURN = r"""
nccl_test:
  description: The test.
  returned: success
  type: dict
  contains:
    verdict:
      description:
        - V(passed), V(slow) (below the floor), V(failed) (it saw something of nodes or network that is wrong) or V(not_run) (the
          test itself failed).
        - Without a floor, V(passed) says that the data was right and what carried it.
      type: str
      sample: slow
    failure:
      description:
        - Why it is V(failed), V(wrong-values), V(hardware) or V(no-efa).
        - Why it is V(not_run), V(jobs), V(allocation), V(check-mode), V(image), V(versions), V(memory), V(locked-memory),
          V(registration), V(efa-provider), V(peer), V(security-groups), V(devices), V(timeout), V(output), V(unproven) (of what
          carried the data) or V(unclear).
      type: str
      sample: ""
    text:
      description: The verdict, for people.
      type: str
      sample: 201.4 GB/s with 4294967296 bytes, below 302.9 GB/s.
    addresses:
      description: The nodes as they were given.
      type: list
      elements: str
      sample: [10.1.2.3, 10.1.2.4]
    nodes:
      description: Their names in Slurm.
      type: list
      elements: str
      sample: [ip-10-1-2-3, ip-10-1-2-4]
    program:
      description: What was started on them.
      type: str
      sample: /usr/local/cuda/efa/test-cuda-12.8/all_reduce_perf
    bytes:
      description: Size of the message that is judged.
      type: int
      sample: 4294967296
    bandwidth:
      description: Bus bandwidth with it, out of place, in GB/s; null where it was not measured.
      type: float
      sample: 201.4
    floor:
      description: Least bandwidth; null where nobody published what is usual.
      type: float
      sample: 302.9
    reference:
      description: What is usual, C(bandwidth) and its C(source), or null.
      type: dict
      sample: {bandwidth: 466.0, source: "AWS' samples for distributed training (awsome-distributed-training)"}
    rows:
      description: C(bandwidth) by C(bytes), as far as the test came.
      type: list
      elements: dict
      sample: [{bytes: 2147483648, bandwidth: 199.8}, {bytes: 4294967296, bandwidth: 201.4}]
    carried_by:
      description:
        - V(EFA) or V(sockets) between nodes; V(P2P) or V(shared memory) within one; empty where the log does not prove it.
      type: str
      sample: EFA
    gpu_direct:
      description: Whether EFA reads and writes the memory of GPUs itself; null without channels between nodes.
      type: bool
      sample: true
    evidence:
      description: What NCCL, Slurm or the test said.
      type: list
      elements: str
      sample: ["NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)"]
hyperpod_findings:
  description: What was found, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
  sample: []
"""

import os
import typing as t
from dataclasses import replace

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl import account, command, options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import (
    CHECK_MODE,
    NOT_RUN,
    Desired,
    Outcome,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.observe import observe, refusal
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.run import run
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import read_node


def read(module: t.Any) -> dict[str, t.Any]:
    desired = options.desired(module.params)
    return result(desired, _tested(desired, check=module.check_mode))


def _tested(desired: Desired, *, check: bool) -> Outcome:
    state = observe(desired)
    refused = refusal(desired, state)
    names = tuple(node.name for node in state.nodes)
    if refused:
        return refused
    if check:
        return Outcome(NOT_RUN, "Check mode starts nothing.", CHECK_MODE, names)
    token = os.urandom(4).hex()
    name, port = f"mlfleet-nccl-test-{token}", 20000 + int(token, 16) % 10000
    started, environment = command.command(desired, state.nodes, name=name), command.environment(state.nodes, port=port)
    seconds = desired.timeout + desired.queue_timeout
    identity = account.unprivileged()
    ran = run(started, environment, name=name, seconds=seconds, identity=identity)
    line = account.refusal(ran) if identity else ""
    if not line:
        return replace(judge(desired, ran), nodes=names)
    outcome = judge(desired, run(started, environment, name=name, seconds=seconds))
    note = f"The test was started as root, because Slurm refuses account {account.NAME}: {line}"
    return replace(outcome, nodes=names, evidence=(note, *outcome.evidence))


def main() -> None:
    read_node(AnsibleModule(argument_spec=options.SPEC, supports_check_mode=True), read)


if __name__ == "__main__":
    main()
