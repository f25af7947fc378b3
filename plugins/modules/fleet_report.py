#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_report
version_added: 0.1.0
short_description: Write one report on all clusters from the report store
description:
  - Reads the reports that earlier runs have added to the report store, and writes one HTML page and one JSON file about all
    clusters. It calls neither clusters nor nodes.
  - Reads the latest run and the latest check of each cluster and playbook. The size of objects and the time for reading are
    limited. A report that can't be read, that has another schema, or that is of another account or cluster than the inventory's is
    named in the files, and its cluster counts as not known.
options:
  clusters:
    description:
      - The clusters of the inventory, each with C(key), C(arn), C(account), C(region), C(orchestrator), and C(nodes), the number of
        nodes by status.
    type: list
    elements: dict
    required: true
  known:
    description:
      - The keys of all clusters of the inventory, also of those that are not in O(clusters).
    type: list
    elements: str
    required: true
  inventory_failures:
    description:
      - Sentences about what the inventory could not read.
    type: list
    elements: str
    default: []
  files:
    description:
      - The path of each file, by form (C(json), C(html)). The files have mode 0600.
    type: dict
    default: {}
  old_hours:
    description:
      - Age in hours from which a report counts as old.
    type: int
    default: 24
attributes:
  check_mode:
    description: The module also writes in check mode, because a report contains only results. It never reports a change.
    support: none
  diff_mode:
    description: The diff contains no content of files.
    support: none
author:
  - mlfleet (@mlfleet)
notes:
  - This module is internal to the collection. It may change with any version.
  - It reads the report store of the run, which the callback P(mlfleet.hyperpod.report#callback) determines.
  - 'IAM actions: C(s3:ListBucket) and C(s3:GetObject) on the bucket of the report store.'
seealso:
  - plugin: mlfleet.hyperpod.report
    plugin_type: callback
"""

EXAMPLES = r"""
- name: Record the report on all clusters
  mlfleet.hyperpod.fleet_report:
    clusters:
      - key: ml
        arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
        account: "111111111111"
        region: us-west-2
        orchestrator: slurm
        nodes: {Running: 6}
    known: [ml]
    files: {html: ~/fleet_report.html}
"""

RETURN = r"""
written:
  description: Paths of the files.
  returned: success
  type: list
  elements: str
  sample: [/home/ops/fleet_report.html]
store:
  description: Address of the report store.
  returned: success
  type: str
  sample: s3://mlfleet-reports-111111111111/fleet
failure:
  description: Why the report store could not be read; empty if it was.
  returned: success
  type: str
  sample: ""
empty:
  description: Whether the store has no report of these clusters.
  returned: success
  type: bool
  sample: false
clusters:
  description: The state of each cluster, the reason, and the number of sources that were not used.
  returned: success
  type: dict
  sample:
    ml: {state: needs a person, why: "verify: failed", problems: 0}
"""
