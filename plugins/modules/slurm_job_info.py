#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists Slurm jobs that requested few leaf switches."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_job_info
version_added: 0.1.0
short_description: List Slurm jobs that requested few leaf switches
author:
  - mlfleet (@mlfleet)
description:
  - Lists all waiting or running jobs that were submitted with C(--switches). The list includes the jobs of all users and the
    nodes of each job.
  - The module runs on one node of the cluster, preferably a controller node. It must run as root, because only root can see the
    jobs of all users.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  idempotent:
    support: full
requirements:
  - Slurm's commands on the node
seealso:
  - module: mlfleet.hyperpod.slurm_job
"""

EXAMPLES = r"""
- name: List jobs that requested few leaf switches
  mlfleet.hyperpod.slurm_job_info:
  become: true
  register: topology_jobs
"""

RETURN = r"""
jobs:
  description: One entry for each job, with the fields of C(job) that M(mlfleet.hyperpod.slurm_job) returns.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 4711
      name: llama
      user: alice
      ours: true
      state: running
      slurm_state: RUNNING
      why: ""
      nodes: [ip-10-1-2-3, ip-10-1-2-4]
      partition: dev
      placement: required
      switches: 1
      switches_wait: 604800
      hash: 9f86d081884c7d659a2feaa0c55ad015
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import read_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.survey import survey


def main() -> None:
    read_node(AnsibleModule(argument_spec={}, supports_check_mode=True), lambda _module: {"jobs": survey()})


if __name__ == "__main__":
    main()
