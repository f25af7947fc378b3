#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: node_access
version_added: 0.1.0
short_description: Gain verified SSH access to the nodes of a SageMaker HyperPod cluster
description:
  - A blank node knows no key of ours, and we know none of its. IAM vouches for the instance, so a session of AWS
    Systems Manager reads the node's public host keys and installs the operations account with its key.
  - What was seen is recorded in Parameter Store, one parameter a node, with the node's instance id, launch time and
    time of the last software update. A node with a valid record costs no session. The session also writes a random mark
    on the node's disk, which the record keeps. Other keys on the same disk are a stop. A new disk is trusted anew,
    and named in the result, also where AWS told of no replacement and no software update.
  - Where C(/etc/pam.d/sshd) has C(pam_slurm_adopt), the session puts a line before it that lets the operations account in.
  - Login nodes may also show the cluster's shared host keys, once these are published in the parameter
    C(/mlfleet/hyperpod/CLUSTER_ID/host-keys).
  - Writes the controller's C(known_hosts) and the C(ssm-proxy) command into O(state_dir), which the inventory plugin's
    connection options refer to. Make it the first task of a play, on the cluster's own host.
  - A node that is not Running, or does not answer, is pending and no failure.
options:
  state:
    description:
      - What is wanted.
    type: str
    choices:
      present: Access to the nodes.
      announced: A record that nodes are about to get what O(people) declares, if that changed. Nodes are not touched.
      configured: A note in the trust records that the nodes in O(instance_ids) were configured, and with O(people) a
        record of the nodes that have not got what is declared of them. Nodes are not touched.
      absent: No trust record of the cluster, here or in Parameter Store, and no record of people. Nodes are not touched.
    default: present
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  public_key:
    description:
      - The public key that Ansible connects with, as one line.
      - Key and operations account are part of the record, so another key costs one session a node.
      - Required if O(state=present).
    type: str
  operations_user:
    description:
      - The account that Ansible connects as. It is made with a local home below C(/var/lib), without a password, and
        may use sudo without one.
      - An account that exists already is used as it is. Its home must not lie on a network file system.
    type: str
    default: hyperpod-ops
  include:
    description:
      - Which nodes to look after.
    type: str
    choices:
      login: Login nodes and controllers.
      new: Login nodes, controllers, every node whose disk no run has configured yet (O(state=configured)), and with
        O(people) every node that has not got what is declared of them.
      all: All nodes.
    default: login
  groups:
    description:
      - Look after nodes of these instance groups only.
    type: list
    elements: str
  instance_ids:
    description:
      - Look after these nodes only. With O(state=absent), forget only their trust records; they may be gone from the cluster.
    type: list
    elements: str
  node_types:
    description:
      - Node type of instance groups by name, for clusters whose API answer does not state it.
    type: dict
    default: {}
  recheck:
    description:
      - Nodes that are looked at by a session although their record is valid.
      - A list of instance ids, or V(true) for all.
    type: raw
    default: false
  people:
    description:
      - What is declared of people, as the role C(accounts) makes it; by name a V(state) and
        a V(digest). The parameter C(/mlfleet/hyperpod/CLUSTER_ID/people) holds digests of it, and which nodes have not
        got it yet, so that no node is passed over on which somebody may still have access.
      - Without it nothing is recorded of people.
    type: dict
  seen:
    description:
      - With O(state=configured) and O(people), the nodes that were found to have what is declared of people.
    type: list
    elements: str
    default: []
  state_dir:
    description:
      - Folder on the controller for C(known_hosts), C(ssm-proxy) and the limit on session starts.
      - These files are written in check mode too. They describe the connection, and do not count as a change.
    type: path
    default: ~/.mlfleet/hyperpod
  timeout:
    description:
      - Seconds for all tries of one node.
    type: int
    default: 180
  _proxy_script:
    description:
      - Internal, set by the action plugin. Path of C(ssm_proxy.py).
    type: path
attributes:
  check_mode:
    support: full
    details:
      - Opens no session. Nodes that it would open one for are V(would_gain); what they need beyond that is unknown.
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
requirements:
  - Linux on the controller
  - C(aws) and C(session-manager-plugin) 1.2.764.0 or newer on the controller
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.lock_option
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), C(ssm:StartSession) on the cluster and its
    managed instances, C(ssm:TerminateSession), and C(ssm:GetParametersByPath), C(ssm:PutParameter),
    C(ssm:DeleteParameters) on C(parameter/mlfleet/hyperpod/*). The Session Manager plugin needs its own, see
    docs/reference/iam.md.'
  - Sessions and connections use O(profile) through the AWS CLI, so give a profile, not keys.
seealso:
  - plugin: mlfleet.hyperpod.hyperpod
    plugin_type: inventory
"""

EXAMPLES = r"""
- name: Gain access to login nodes and controllers
  mlfleet.hyperpod.node_access:
    cluster_arn: "{{ hyperpod_cluster_arn }}"
    public_key: "{{ lookup('ansible.builtin.file', '~/.ssh/id_ed25519.pub') }}"
    profile: "{{ hyperpod_profile }}"
    region: "{{ hyperpod_region }}"
  register: access

- name: Look again at one node, whatever is recorded
  mlfleet.hyperpod.node_access:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    public_key: "{{ operations_public_key }}"
    include: all
    recheck: [i-0123456789abcdef0]
    region: us-west-2
"""

RETURN = r"""
nodes:
  description: The nodes that this run looked after, by instance id.
  returned: success
  type: dict
  contains:
    access:
      description:
        - V(ready), known and unchanged; V(gained) in this run; V(would_gain) in check mode; V(pending).
        - V(refused) where the node shows another host key although it has the disk it had.
      type: str
      sample: gained
    reason:
      description: Why the node is pending, or why a session was needed.
      type: str
      sample: no trust record
    fresh:
      description: Whether the node's disk was not known before this run.
      type: bool
      sample: true
    configured:
      description: Whether a run has configured the node's disk and said so with O(state=configured).
      type: bool
      sample: false
    group:
      description: Name of the instance group.
      type: str
      sample: login-group
    node_type:
      description: V(controller), V(login), V(compute) or null.
      type: str
      sample: login
    status:
      description: Status of the node, in AWS's words.
      type: str
      sample: Running
host_keys:
  description: Lines of a known_hosts file for every node of the cluster with a valid record, by instance id.
  returned: success
  type: dict
  sample:
    i-0123456789abcdef0: ["i-0123456789abcdef0.abc123def456 ssh-ed25519 AAAA..."]
behind:
  description: Instance ids of all nodes of the cluster that are not known to have what O(people) declares.
  returned: success with O(state=present)
  type: list
  elements: str
  sample: []
forgotten:
  description: Instance ids whose trust records were removed, or would be in check mode.
  returned: with O(state=absent) and O(instance_ids)
  type: list
  elements: str
  sample: [i-0123456789abcdef0]
unannounced:
  description:
    - Whether O(people) declares something else than the record, so that O(state=announced) has to record it before a node is
      changed. A run that dies then leaves no node that later runs pass over.
  returned: success with O(state=present)
  type: bool
  sample: false
known_hosts:
  description: Path of the controller's known_hosts file.
  returned: success
  type: str
  sample: /home/ops/.mlfleet/hyperpod/known_hosts
changes:
  description: Every change that was made, or would be made in check mode.
  returned: always
  type: list
  elements: dict
  sample:
    - action: create
      resource: access to i-0123456789abcdef0 (login-group)
      field: null
      before: null
      after: no trust record
hyperpod_findings:
  description: Nodes without access, and those that were trusted anew or would be, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import run

STATES = {"present": run.present, "announced": run.announced, "configured": run.configured, "absent": run.absent}
ARGUMENTS: dict[str, t.Any] = {
    "state": {"type": "str", "default": "present", "choices": list(STATES)},
    "cluster_arn": {"type": "str", "required": True},
    "public_key": {"type": "str", "no_log": False},
    "operations_user": {"type": "str", "default": "hyperpod-ops"},
    "include": {"type": "str", "default": "login", "choices": ["login", "new", "all"]},
    "groups": {"type": "list", "elements": "str"},
    "instance_ids": {"type": "list", "elements": "str"},
    "node_types": {"type": "dict", "default": {}},
    "recheck": {"type": "raw", "default": False},
    "people": {"type": "dict"},
    "seen": {"type": "list", "elements": "str", "default": []},
    "state_dir": {"type": "path", "default": "~/.mlfleet/hyperpod"},
    "timeout": {"type": "int", "default": 180},
    "_proxy_script": {"type": "path"},
    **LOCK_OPTION,
}


def main() -> None:
    required_if = [
        ("state", "present", ["public_key"]),
        ("state", "announced", ["people"]),
        ("state", "configured", ["instance_ids"]),
    ]
    module = aws_module(argument_spec=ARGUMENTS, required_if=required_if)
    answer_aws(module, STATES[module.params["state"]])


if __name__ == "__main__":
    main()
