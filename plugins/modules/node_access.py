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
  - What was seen is recorded in Parameter Store, one parameter a node, under the node's instance id, launch time and
    time of the last software update. A node with a valid record costs no session. Other keys under the same record are
    a stop. A replaced or updated node is trusted anew, and named in the result.
  - Login nodes may also show the cluster's shared host keys, once these are published in the parameter
    C(/mlfleet/hyperpod/CLUSTER_ID/host-keys).
  - Writes the controller's C(known_hosts) and the C(ssm-proxy) command into O(state_dir), which the inventory plugin's
    connection options refer to. Make it the first task of a play, on the cluster's own host.
  - A node that is not Running, or does not answer, is pending and no failure.
options:
  cluster_name:
    description:
      - Name or ARN of the cluster.
    type: str
    required: true
  public_key:
    description:
      - The public key that Ansible connects with, as one line.
      - Key and operations account are part of the record, so another key costs one session a node.
    type: str
    required: true
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
      new: Login nodes, controllers, and every node without a valid record.
      all: All nodes.
    default: login
  groups:
    description:
      - Look after nodes of these instance groups only.
    type: list
    elements: str
  instance_ids:
    description:
      - Look after these nodes only.
    type: list
    elements: str
  node_types:
    description:
      - Node type of instance groups by name, for clusters whose API answer does not state it.
    type: dict
    default: {}
  recheck:
    description:
      - Instance ids of nodes that are looked at by a session although their record is valid, or V(all).
    type: list
    elements: str
    default: []
  state_dir:
    description:
      - Folder on the controller for C(known_hosts), C(ssm-proxy) and the limit on session starts.
      - These files are written in check mode too. They describe the connection, and do not count as a change.
    type: path
    default: ~/.mlfleet/hyperpod
  threads:
    description:
      - Sessions that are open at the same time. Over all processes at most two are started a second.
    type: int
    default: 8
  timeout:
    description:
      - Seconds for all tries of one node.
    type: int
    default: 180
  proxy_script:
    description:
      - Path of C(ssm_proxy.py). The action plugin of the same name fills it in.
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
  - C(aws) and C(session-manager-plugin) on the controller
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), C(ssm:StartSession) on the cluster,
    C(ssm:TerminateSession), and C(ssm:GetParametersByPath), C(ssm:PutParameter), C(ssm:DeleteParameters) on
    C(parameter/mlfleet/hyperpod/*).'
  - Sessions and connections use O(profile) through the AWS CLI, so give a profile, not keys.
seealso:
  - plugin: mlfleet.hyperpod.hyperpod
    plugin_type: inventory
"""

EXAMPLES = r"""
- name: Gain access to login nodes and controllers
  mlfleet.hyperpod.node_access:
    cluster_name: "{{ hyperpod_cluster_arn }}"
    public_key: "{{ lookup('ansible.builtin.file', '~/.ssh/id_ed25519.pub') }}"
    profile: "{{ hyperpod_profile }}"
    region: "{{ hyperpod_region }}"
  register: access

- name: Look again at one node, whatever is recorded
  mlfleet.hyperpod.node_access:
    cluster_name: ml
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
hyperpod_report:
  description: Sentences for the report at the end of a run.
  returned: success
  type: dict
  contains:
    pending:
      description: Nodes without access, and why.
      type: list
      elements: str
    notes:
      description: Nodes that were trusted anew, or would be.
      type: list
      elements: str
"""

import sys
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws import aws_module, connect, run_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import (
    Cluster,
    Node,
    check_node_types,
    require_group,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._plan import Plan, Step, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._trust.access import Gate, settled, stale_changes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._trust.known_hosts import write_known_hosts, write_wrapper
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._trust.model import Operations
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._trust.plan import Wanted, make_plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._trust.record import Records
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._trust.report import after, host_key_lines, report


def wanted_nodes(params: t.Mapping[str, t.Any], cluster: Cluster, nodes: t.Sequence[Node]) -> Wanted:
    """The selection.

    :raises Refused: for a group or an instance that the cluster does not have.
    """
    for name in params["groups"] or ():
        require_group(cluster, name, option="groups")
    listed = {node.instance_id for node in nodes}
    for option, ids in (("instance_ids", params["instance_ids"] or ()), ("recheck", params["recheck"])):
        for instance_id in ids:
            if instance_id not in listed and not (option == "recheck" and instance_id == "all"):
                refuse_option(option, instance_id, f"cluster {cluster.name} has no such node")
    return Wanted(
        include=params["include"],
        groups=frozenset(params["groups"] or ()),
        instance_ids=frozenset(params["instance_ids"] or ()),
        recheck=frozenset(params["recheck"]),
    )


def run(module: t.Any) -> None:
    """Observe, plan, carry out, lay the files of the connection."""
    params = module.params
    operations = Operations.from_params(params)
    node_types = check_node_types(params["node_types"])
    if params["threads"] < 1:
        refuse_option("threads", params["threads"], "it must be 1 or more")
    api = connect_hyperpod(module)
    cluster = api.require_cluster(params["cluster_name"], node_types=node_types)
    nodes = api.nodes(cluster)
    wanted = wanted_nodes(params, cluster, nodes)
    records = Records(connect(module, "ssm", max_pool_connections=params["threads"]).client)
    recorded = records.load(cluster.id)
    plan = make_plan(nodes, recorded=recorded, wanted=wanted, operations=operations)
    gate = Gate(
        cluster=cluster,
        records=records,
        operations=operations,
        profile=params["profile"],
        state_dir=params["state_dir"],
        timeout=params["timeout"],
        threads=params["threads"],
    )
    forgotten = stale_changes(plan) if module.check_mode else gate.forget(plan)
    outcomes = [settled(each) for each in plan.nodes] if module.check_mode else gate.carry_out(plan)
    changes = [change for outcome in outcomes for change in outcome.changes] + forgotten
    lines = host_key_lines(cluster, nodes, after(recorded, outcomes))
    all_lines = [line for node_lines in lines.values() for line in node_lines]
    if params["proxy_script"]:
        write_wrapper(params["state_dir"], python=sys.executable, script=params["proxy_script"])
    module.exit_json(
        changed=bool(changes),
        changes=[change.to_result() for change in changes],
        diff=Plan(steps=(Step("", {}, tuple(changes)),)).diff(),
        nodes={outcome.node.instance_id: outcome.to_result() for outcome in outcomes},
        host_keys=lines,
        known_hosts=write_known_hosts(params["state_dir"], cluster.id, all_lines),
        hyperpod_report=report(outcomes),
    )


def main() -> None:
    module = aws_module(
        argument_spec={
            "cluster_name": {"type": "str", "required": True},
            "public_key": {"type": "str", "required": True, "no_log": False},
            "operations_user": {"type": "str", "default": "hyperpod-ops"},
            "include": {"type": "str", "default": "login", "choices": ["login", "new", "all"]},
            "groups": {"type": "list", "elements": "str"},
            "instance_ids": {"type": "list", "elements": "str"},
            "node_types": {"type": "dict", "default": {}},
            "recheck": {"type": "list", "elements": "str", "default": []},
            "state_dir": {"type": "path", "default": "~/.mlfleet/hyperpod"},
            "threads": {"type": "int", "default": 8},
            "timeout": {"type": "int", "default": 180},
            "proxy_script": {"type": "path"},
        },
    )
    run_aws(module, lambda: run(module))


if __name__ == "__main__":
    main()
