#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: finding
version_added: 0.1.0
short_description: Tell what a role found that is no change
description:
  - Tells a finding to the report of the run, with a code of C(docs/reference/findings.md). Its words stand in
    C(plugins/plugin_utils/findings/texts), so that no task builds a sentence.
  - A finding of kind V(failure) fails the task.
notes:
  - Internal to the collection; it may change with any version.
options:
  says:
    description:
      - The name of the words, to which a code belongs.
    type: str
  code:
    description:
      - What O(texts) are.
    type: str
  kind:
    description:
      - How O(texts) count, where the code has several kinds. By default the first kind of the code.
    type: str
    choices: [failure, pending, note]
  values:
    description:
      - The values in the words, by name. A list is shown with commas.
    type: dict
    default: {}
  texts:
    description:
      - A finding for each of these sentences, which Python made.
    type: list
    elements: str
  findings:
    description:
      - Findings as a module or filter returned them.
    type: list
    elements: dict
  that:
    description:
      - Conditions, as in M(ansible.builtin.assert). Where all of them hold, nothing is told.
    type: raw
    default: []
  fail:
    description:
      - Whether a finding of kind V(failure) fails the task. Otherwise the report has it, and the last play of the run fails.
    type: bool
    default: true
attributes:
  check_mode:
    description: Tells the same in check mode.
    support: full
  diff_mode:
    description: There is nothing to compare.
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
  description: What was found, if it is no failure.
  returned: when something is told
  type: list
  elements: dict
"""
