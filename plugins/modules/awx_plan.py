#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: awx_plan
version_added: 0.1.0
short_description: Compare the objects of AWX with those that the variables declare
description:
  - Reads the objects of an organization of AWX or Automation Controller, and returns the steps that M(mlfleet.hyperpod.awx_object)
    takes. It only reads.
  - The modules of the collection C(awx.awx) cannot do this. Some of them report a change in every run, their check mode does not
    notice all differences, and they have no diff.
  - Secrets are neither in the steps nor compared, because AWX does not return them.
notes:
  - This module is internal to the collection. It may change with any version.
  - It reads the variables of the role C(awx), and needs the collection that C(awx_collection) names.
attributes:
  check_mode:
    description: The module changes nothing.
    support: full
  diff_mode:
    description: The steps have the differences.
    support: none
author:
  - mlfleet (@mlfleet)
"""

EXAMPLES = r"""
- name: Get the objects of AWX that differ
  mlfleet.hyperpod.awx_plan:
  register: __awx_plan
"""

RETURN = r"""
steps:
  description: The steps, in the order in which AWX accepts them.
  returned: success
  type: list
  elements: dict
  contains:
    action:
      description: One of C(create), C(change), C(adopt), C(rename) and C(remove).
      type: str
    kind:
      description: Kind of the object, which is the name of its module, such as C(job_template).
      type: str
    name:
      description: Name of the object.
      type: str
    before:
      description: The fields that change, before the step.
      type: dict
    after:
      description: The same fields after the step.
      type: dict
refused:
  description: Kinds and names of objects that someone else created with a name of ours.
  returned: success
  type: list
  elements: list
left:
  description: Kinds and names of objects of the fleet that are no longer declared, and stay.
  returned: success
  type: list
  elements: list
not_compared:
  description: Kinds and names of objects with secrets.
  returned: success
  type: list
  elements: list
"""
