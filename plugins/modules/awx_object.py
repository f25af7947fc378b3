#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: awx_object
version_added: 0.1.0
short_description: Create, change or remove one object of AWX
description:
  - Runs the module of C(awx.awx) or C(ansible.controller) for one step of M(mlfleet.hyperpod.awx_plan).
  - The values come from the variables of the role C(awx), so that secrets are not part of the step.
notes:
  - This module is internal to the collection. It may change with any version.
options:
  step:
    description:
      - A step of M(mlfleet.hyperpod.awx_plan).
    type: dict
    required: true
attributes:
  check_mode:
    description: The step is only reported.
    support: full
  diff_mode:
    description: The diff has the fields of the step, without secrets.
    support: full
author:
  - mlfleet (@mlfleet)
"""

EXAMPLES = r"""
- name: Ensure the objects of AWX
  mlfleet.hyperpod.awx_object:
    step: "{{ item }}"
  loop: "{{ __awx_plan.steps }}"
"""

RETURN = r"""
"""
