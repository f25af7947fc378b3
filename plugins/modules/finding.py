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
  - Adds a finding to the report of the run, with one of the codes in C(docs/reference/findings.md). The text of the finding comes
    from C(plugins/plugin_utils/findings/texts), so that tasks contain no sentences.
  - A finding of kind V(failure) fails the task.
notes:
  - This module is internal to the collection. It may change with any version.
options:
  says:
    description:
      - Name of the text. The text determines the code of the finding.
    type: str
  code:
    description:
      - Code of the findings in O(texts).
    type: str
  kind:
    description:
      - Kind of the findings in O(texts), if the code has several kinds. The default is the first kind of the code.
    type: str
    choices: [failure, pending, note]
  values:
    description:
      - Values to insert into the text, by name. A list is inserted with commas.
    type: dict
    default: {}
  texts:
    description:
      - Texts that Python code created. Each text becomes one finding.
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
      - Whether a finding of kind V(failure) fails the task. With V(false), the report contains the finding, and the last play of
        the run fails.
    type: bool
    default: true
attributes:
  check_mode:
    description: In check mode, the module reports the same findings.
    support: full
  diff_mode:
    description: The module returns no diff.
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
