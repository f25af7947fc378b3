#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: node_access
version_added: 0.1.0
short_description: Set up verified SSH access to the nodes of a SageMaker HyperPod cluster
description:
  - A new node does not trust the key of the control node, and the control node does not trust the host keys of the new node. To
    establish trust in both directions, the module opens a session of AWS Systems Manager, in which IAM identifies the instance.
    The session reads the node's public host keys and installs the operations account with its key.
  - The module records the result in Parameter Store, in one trust record for each node. The record contains the host keys, and
    identifies the disk by the node's instance ID, launch time and time of the last software update. A node with a valid trust
    record needs no session.
  - The session also writes a random disk mark to the node, which is part of the trust record. If a node presents different host
    keys although its disk has not changed, the run stops for this node. If the node has a new disk, the module trusts it again
    and reports this, even if AWS reported no replacement or software update.
  - If C(/etc/pam.d/sshd) contains a line with C(pam_slurm_adopt), the session inserts a line before it. The inserted line admits
    the operations account.
  - Login nodes may also present the shared host keys of the cluster, once the parameter C(/mlfleet/hyperpod/CLUSTER_ID/host-keys)
    contains these keys.
  - The module writes the control node's C(known_hosts) and the C(ssm-proxy) command into O(state_dir). The connection options of
    the inventory plugin use both. Make this module the first task of a play on the inventory host of the cluster.
  - A node that is not Running or that does not answer is pending, not a failure.
options:
  state:
    description:
      - What the module does.
    type: str
    choices:
      present: Access to the nodes is set up.
      announced: If O(people) has changed, the record of users is updated before nodes are changed. The module does not connect to
        nodes.
      configured: >-
        The trust records of the nodes in O(instance_ids) are updated to show that these nodes were configured. With O(people),
        the module also records the nodes that still differ from the declaration. It does not connect to nodes.
      absent: >-
        The trust records of the cluster and the record of users are removed from Parameter Store, and the lines of the cluster
        from C(known_hosts). The module does not connect to nodes.
    default: present
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  public_key:
    description:
      - Public key for Ansible's connections, on one line.
      - The key and the operations account are part of the trust record, so a new key requires one session for each node.
      - Required with O(state=present).
    type: str
  operations_user:
    description:
      - Operations account, which Ansible uses to connect. The session creates it with a local home directory below C(/var/lib),
        without a password, and with passwordless sudo.
      - An existing account is used unchanged. Its home directory must not be on a network file system.
    type: str
    default: hyperpod-ops
  include:
    description:
      - Nodes to which the module sets up access.
    type: str
    choices:
      login: Login nodes and controller nodes.
      new: >-
        Login nodes, controller nodes, and every node whose disk was not configured by a run (O(state=configured)). With
        O(people), also every node that differs from the declaration.
      all: All nodes.
    default: login
  groups:
    description:
      - Set up access only to nodes of these instance groups.
    type: list
    elements: str
  instance_ids:
    description:
      - Set up access only to these nodes. With O(state=absent), remove only the trust records of these nodes, which may have left
        the cluster, and no other records.
    type: list
    elements: str
  node_types:
    description:
      - Node types of instance groups, by the name of the group. Use this option for clusters for which the API does not return
        node types.
    type: dict
    default: {}
  recheck:
    description:
      - Nodes to check with a session even if their trust record is valid.
      - Give a list of instance IDs, or V(true) for all nodes.
    type: raw
    default: false
  people:
    description:
      - Declaration of users, by name with a V(state) and a V(digest), as the role C(accounts) creates it.
      - The parameter C(/mlfleet/hyperpod/CLUSTER_ID/people) stores digests of the declaration and the nodes that do not match it
        yet. Later runs configure these nodes. Removed users therefore do not keep access to nodes that a run skipped.
      - If omitted, nothing is recorded about users.
    type: dict
  seen:
    description:
      - With O(state=configured) and O(people), instance IDs of the nodes that match the declaration.
    type: list
    elements: str
    default: []
  state_dir:
    description:
      - Folder on the control node for C(known_hosts), C(ssm-proxy) and the file that limits session starts.
      - With O(state=present), the module also writes these files in check mode, because connections need them. They do not count
        as a change.
    type: path
    default: ~/.mlfleet/hyperpod
  timeout:
    description:
      - Time limit in seconds for all attempts to access one node.
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
      - Check mode opens no session. The access of nodes that need a session is V(would_gain). Other changes on these nodes cannot
        be predicted.
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
requirements:
  - Linux on the control node
  - C(aws) and C(session-manager-plugin) 1.2.764.0 or newer on the control node
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.lock_option
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), C(ssm:StartSession) on the cluster and its managed
    instances, C(ssm:TerminateSession), and C(ssm:GetParametersByPath), C(ssm:PutParameter), C(ssm:DeleteParameters) on
    C(parameter/mlfleet/hyperpod/*). The Session Manager plugin needs further actions, see docs/reference/iam.md.'
  - Sessions and connections use O(profile) through the AWS CLI. Therefore set a profile, not access keys.
seealso:
  - plugin: mlfleet.hyperpod.hyperpod
    plugin_type: inventory
"""

EXAMPLES = r"""
- name: Set up access to login nodes and controller nodes
  mlfleet.hyperpod.node_access:
    cluster_arn: "{{ hyperpod_cluster_arn }}"
    public_key: "{{ lookup('ansible.builtin.file', '~/.ssh/id_ed25519.pub') }}"
    profile: "{{ hyperpod_profile }}"
    region: "{{ hyperpod_region }}"
  register: access

- name: Check one node again
  mlfleet.hyperpod.node_access:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    public_key: "{{ operations_public_key }}"
    include: all
    recheck: [i-0123456789abcdef0]
    region: us-west-2
"""

RETURN = r"""
nodes:
  description: The nodes to which access was set up or checked, by instance ID. Empty with O(state=absent).
  returned: success with O(state=present) or O(state=absent)
  type: dict
  contains:
    access:
      description:
        - V(ready) if the access existed and has not changed. V(gained) if this run set up the access. V(would_gain) in check
          mode, if a run would set up the access. V(pending) if the access is not set up yet.
        - V(refused) if the node presents a different host key although it has the same disk.
      type: str
      sample: gained
    reason:
      description: Why the node is pending, or why a session was needed.
      type: str
      sample: no trust record
    fresh:
      description: Whether the disk of the node was unknown before this run.
      type: bool
      sample: true
    configured:
      description: Whether a run has configured the disk of the node and recorded this with O(state=configured).
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
      description: Status of the node, as AWS returns it.
      type: str
      sample: Running
host_keys:
  description: Lines for C(known_hosts), by instance ID, for every node of the cluster that has a valid trust record.
  returned: success with O(state=present) or O(state=absent)
  type: dict
  sample:
    i-0123456789abcdef0: ["i-0123456789abcdef0.abc123def456 ssh-ed25519 AAAA..."]
behind:
  description: Instance IDs of all nodes of the cluster that may differ from O(people).
  returned: success with O(state=present)
  type: list
  elements: str
  sample: []
forgotten:
  description: Instance IDs of nodes whose trust records were removed. In check mode, of nodes whose trust records would be
    removed.
  returned: with O(state=absent) and O(instance_ids)
  type: list
  elements: str
  sample: [i-0123456789abcdef0]
unannounced:
  description:
    - Whether O(people) differs from the record of users. If true, run the module with O(state=announced) before a node is
      changed. If the run fails after that, later runs find the nodes to configure in the record.
  returned: success with O(state=present)
  type: bool
  sample: false
known_hosts:
  description: Path of C(known_hosts) on the control node.
  returned: success with O(state=present) or O(state=absent)
  type: str
  sample: /home/ops/.mlfleet/hyperpod/known_hosts
changes:
  description: The changes. In check mode, the predicted changes.
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
  description:
    - Nodes without access, nodes that were trusted for the first time or again, nodes that would gain access, and with
      O(state=configured) nodes that may not match O(people), with the codes of C(docs/reference/findings.md).
  returned: success with O(state=present) or O(state=configured)
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
