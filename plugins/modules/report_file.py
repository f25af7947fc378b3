#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: report_file
version_added: 0.1.0
short_description: Write report files on the control node
description:
  - Replaces each file atomically, with mode 0600 unless a different mode is set. A missing folder is created with mode 0700. The
    mode of an existing folder is not changed.
  - Unlike M(ansible.builtin.copy), this module needs neither a loop nor a second task for folders. It shows no content in the
    output or diff. A report does not count as a change to a cluster.
notes:
  - This module is internal to the collection. It may change with any version.
options:
  files:
    description:
      - The files.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description:
          - Path of the file. C(~) is expanded. A relative path begins in the directory in which the playbook was started.
        type: str
        required: true
      content:
        description:
          - Content of the file.
        type: str
        required: true
      mode:
        description:
          - Mode of the file.
        type: str
        choices:
          "0600": Only the owner can read the file.
          "0644": All users of the control node can read the file, for example a collector that reads metrics.
        default: "0600"
attributes:
  check_mode:
    description: The module also writes in check mode, because a report contains only results. It never reports a change.
    support: none
  diff_mode:
    description: The diff contains no content of files.
    support: none
author:
  - mlfleet (@mlfleet)
"""

EXAMPLES = r"""
- name: Record the report
  mlfleet.hyperpod.report_file:
    files:
      - path: ~/reports/access.csv
        content: "{{ report }}"
"""

RETURN = r"""
written:
  description: Paths of the files.
  returned: success
  type: list
  elements: str
  sample: [/home/ops/reports/access.csv]
"""
