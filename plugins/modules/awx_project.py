#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: awx_project
version_added: 0.1.0
short_description: Wait for the project of a fleet in AWX and check its playbooks
description:
  - Waits for at most 10 minutes until AWX has updated the project, and shows the status every 10 seconds. Then checks that the
    project has a playbook for each declared job template.
  - It only reads.
notes:
  - This module is internal to the collection. It may change with any version.
  - It reads the variables of the role C(awx), and needs the collection that C(awx_collection) names.
attributes:
  check_mode:
    description: Check mode skips the module, because the project may not exist yet.
    support: none
  diff_mode:
    description: The module changes nothing.
    support: none
author:
  - mlfleet (@mlfleet)
"""

EXAMPLES = r"""
- name: Validate the playbooks of the project
  mlfleet.hyperpod.awx_project:
"""

RETURN = r"""
revision:
  description: Commit that AWX has checked out.
  returned: success
  type: str
  sample: 4b825dc642cb6eb9a060e54bf8d69288fbee4904
"""
