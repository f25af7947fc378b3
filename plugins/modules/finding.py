#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: finding
version_added: 0.1.0
short_description: Report findings of a role
description:
  - Adds a finding to the report of the run, with a code of C(docs/reference/findings.md). Its text comes from
    C(plugins/plugin_utils/findings/texts), so that tasks contain no sentences.
  - A finding of kind V(failure) fails the task.
notes:
  - Internal to the collection; it may change with any version.
options:
  says:
    description:
      - Name of the text, which has a code.
    type: str
  code:
    description:
      - Code of O(texts).
    type: str
  kind:
    description:
      - Kind of O(texts), if the code has several. Default is the first kind of the code.
    type: str
    choices: [failure, pending, note]
  values:
    description:
      - Values for the text, by name. A list is shown with commas.
    type: dict
    default: {}
  texts:
    description:
      - Texts of findings that Python code created, one finding for each.
    type: list
    elements: str
  findings:
    description:
      - Findings that a module or filter returned.
    type: list
    elements: dict
  that:
    description:
      - Conditions, as in M(ansible.builtin.assert). If all of them are true, nothing is reported.
    type: raw
    default: []
  fail:
    description:
      - Whether a finding of kind V(failure) fails the task. With V(false), the report contains it, and the last play of the run
        fails.
    type: bool
    default: true
attributes:
  check_mode:
    description: Reports the same findings in check mode.
    support: full
  diff_mode:
    description: Has no diff.
    support: none
author:
  - mlfleet (@mlfleet)
"""

EXAMPLES = r"""
- name: Report a load balancer without security groups
  mlfleet.hyperpod.finding:
    says: balancer-without-groups
    values:
      load_balancer: hp-ml-0a1b2c3d
"""

RETURN = r"""
hyperpod_findings:
  description: The findings, unless they fail the task.
  returned: if there are findings
  type: list
  elements: dict
"""
