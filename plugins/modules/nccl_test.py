#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one NCCL test over Slurm nodes."""

from __future__ import annotations

DOCUMENTATION = r"""
module: nccl_test
version_added: 0.1.0
short_description: Measure the bandwidth between GPUs of Slurm nodes
author:
  - mlfleet (@mlfleet)
description:
  - Runs C(all_reduce_perf) of nccl-tests once over idle nodes with C(srun). The module compares the bus bandwidth with the usual
    bandwidth for this number of nodes of this instance type. With O(efa=true) and several nodes, the test passes only if NCCL's
    log proves that EFA carried the data.
  - If the image of the nodes has no nccl-tests, PyTorch runs the same test. PyTorch starts only if no account except root can
    change its files. It starts without C(site) and C(.pth) files, and never as root.
  - Slurm allocates the nodes exclusively and with a time limit, so no job starts on them during the test. If a node has jobs, the
    module starts no test, and the verdict is V(not_run), unless O(beside_jobs=true).
  - If the test itself fails (no memory, no program, incompatible versions, blocking security groups), the verdict is V(not_run).
    It is then unknown whether the nodes have faults.
  - The test runs as the account C(nobody). If Slurm refuses that account, nccl-tests runs as root, and RV(nccl_test.evidence)
    contains a note. PyTorch does not run as root, so without nccl-tests the verdict is then V(not_run).
  - The test loads the GPUs and the network of these nodes for about a minute. It has not been run on GPUs yet.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
    details:
      - In check mode, the module reads from Slurm and starts nothing. The verdict is then V(not_run).
  diff_mode:
    support: none
  idempotent:
    support: none
    details:
      - Each run measures again.
options:
  addresses:
    description:
      - Private IPv4 addresses of the nodes. All nodes must have the same instance type.
    type: list
    elements: str
    required: true
  instance_type:
    description:
      - Instance type of the nodes, which determines the usual bandwidth.
    type: str
    required: true
  gpus:
    description:
      - Number of GPUs of each node, V(1) to V(16).
    type: int
    required: true
  bytes:
    description:
      - Size in bytes of the largest message, V(16777216) to V(137438953472). The verdict depends on the bandwidth with this size.
      - The default is 4 GiB on p5 and newer, otherwise 1 GiB.
    type: int
  program:
    description:
      - Path of C(all_reduce_perf) on the nodes, built with MPI. By default, the module searches the folders of AWS's deep
        learning images and samples.
      - If any account except root can change the program, a folder above it, or the target of a link on its path, the program is
        not started, and the verdict is V(not_run).
    type: path
    default: ""
  mpi:
    description:
      - MPI plugin of C(srun).
    type: str
    default: pmix
  efa:
    description:
      - Whether the nodes have EFA devices. With more than one node, the test then passes only if NCCL's log proves that EFA
        carried the data.
    type: bool
    default: true
  reference:
    description:
      - Bus bandwidth in GB/s that you measured on healthy nodes of this kind. It is used instead of the published bandwidth.
    type: float
  floor_percent:
    description:
      - Minimum bandwidth, as a percentage of the usual bandwidth, V(1) to V(100).
    type: int
    default: 65
  beside_jobs:
    description:
      - Whether to run the test on nodes that have jobs. The test slows these jobs down. Slurm allows this only if jobs in the
        partition can share nodes.
    type: bool
    default: false
  timeout:
    description:
      - Time limit of the test in seconds, V(60) to V(3600).
    type: int
    default: 600
  queue_timeout:
    description:
      - Seconds to wait, V(1) to V(3600), until completing jobs on the nodes have ended. The same limit applies to the wait until
        Slurm has allocated the nodes.
    type: int
    default: 60
requirements:
  - Slurm's commands on the node on which the module runs, preferably a controller node
  - On the tested nodes, nccl-tests with MPI, or PyTorch in C(/opt/pytorch), C(/opt/venv), C(/opt/conda) or the system's Python
seealso:
  - module: mlfleet.hyperpod.slurm_nodes
  - module: mlfleet.hyperpod.accelerator_health
  - name: nccl-tests
    description: Explains bus bandwidth.
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

- name: Fail unless EFA was fast enough
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
        - V(passed), V(slow), V(failed) or V(not_run). V(slow) is a bandwidth below the minimum. V(failed) means that the test
          detected a fault of the nodes or the network. V(not_run) means that the test itself failed.
        - If there is no minimum, V(passed) does not depend on the bandwidth. It means that the data was correct and, with
          O(efa=true) and several nodes, that EFA carried the data.
      type: str
      sample: slow
    failure:
      description:
        - The reason of V(failed) is V(wrong-values), V(hardware) or V(no-efa).
        - The reason of V(not_run) is V(jobs), V(allocation), V(check-mode), V(image), V(versions), V(memory), V(locked-memory),
          V(registration), V(efa-provider), V(peer), V(security-groups), V(devices), V(timeout), V(output), V(unproven) or
          V(unclear). V(unproven) means that the log does not prove that EFA carried the data.
      type: str
      sample: ""
    text:
      description: The verdict as a text.
      type: str
      sample: 201.4 GB/s with 4294967296 bytes, below 302.9 GB/s.
    addresses:
      description: The nodes, as in O(addresses).
      type: list
      elements: str
      sample: [10.1.2.3, 10.1.2.4]
    nodes:
      description: Names of the nodes in Slurm.
      type: list
      elements: str
      sample: [ip-10-1-2-3, ip-10-1-2-4]
    program:
      description: Program that was started on the nodes.
      type: str
      sample: /usr/local/cuda/efa/test-cuda-12.8/all_reduce_perf
    bytes:
      description: Size in bytes of the message whose bandwidth determines the verdict.
      type: int
      sample: 4294967296
    bandwidth:
      description: Bus bandwidth with this size, out of place, in GB/s. Null if it was not measured.
      type: float
      sample: 201.4
    floor:
      description: Minimum bandwidth in GB/s. Null if RV(nccl_test.reference) is null.
      type: float
      sample: 302.9
    reference:
      description: Usual C(bandwidth) and its C(source). Null if no bandwidth is published and O(reference) is not set.
      type: dict
      sample: {bandwidth: 466.0, source: "AWS' samples for distributed training (awsome-distributed-training)"}
    rows:
      description: All measured values of C(bandwidth), by C(bytes).
      type: list
      elements: dict
      sample: [{bytes: 2147483648, bandwidth: 199.8}, {bytes: 4294967296, bandwidth: 201.4}]
    carried_by:
      description:
        - Network that carried the data between nodes, V(EFA) or V(sockets), or within one node, V(P2P) or V(shared memory). Empty
          if the log does not prove it.
      type: str
      sample: EFA
    gpu_direct:
      description: Whether EFA accesses GPU memory directly (GPUDirect RDMA). Null if there were no channels between nodes.
      type: bool
      sample: true
    evidence:
      description: Output of NCCL, Slurm or the test.
      type: list
      elements: str
      sample: ["NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)"]
hyperpod_findings:
  description: Findings, with the codes of C(docs/reference/findings.md).
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
    note = f"The test ran as root, because Slurm refuses account {account.NAME}: {line}"
    return replace(outcome, nodes=names, evidence=(note, *outcome.evidence))


def main() -> None:
    read_node(AnsibleModule(argument_spec=options.SPEC, supports_check_mode=True), read)


if __name__ == "__main__":
    main()
