#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: report_file
version_added: 0.1.0
short_description: Write the files of a report on the controller
description:
  - Replaces each file in one move, with mode 0600 unless another program reads it. A folder that is missing is made with mode 0700;
    one that exists keeps its mode.
  - Unlike M(ansible.builtin.copy) it needs no loop and no second task for folders, and shows no content in output or diff. A
    report is no change to a cluster.
notes:
  - Internal to the collection; it may change with any version.
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
          - Where the file belongs. C(~) is a home, and a relative path begins where the playbook was started.
        type: str
        required: true
      content:
        description:
          - The text.
        type: str
        required: true
      mode:
        description:
          - Who may read it.
        type: str
        choices:
          "0600": Nobody but its owner.
          "0644": Everybody on this machine, as metrics for a collector.
        default: "0600"
attributes:
  check_mode:
    description: Writes in check mode too, since a report tells what was found. It is never a change.
    support: none
  diff_mode:
    description: Shows no content.
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
  description: The paths of the files.
  returned: success
  type: list
  elements: str
  sample: [/home/ops/reports/access.csv]
"""
