#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops a host of which something is not allowed."""

from __future__ import annotations

DOCUMENTATION = r"""
module: validate
short_description: Fail with the reasons why something is not allowed
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Fails if there is a refusal, and shows all of them. Runs on the controller, and connects to nothing.
  - The views of roles find the refusals; see docs/design/views.md.
options:
  refusals:
    description: Sentences that say what is not allowed, and what is. An empty list succeeds.
    type: list
    elements: str
    required: true
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.info
"""

EXAMPLES = r"""
- name: Validate the variables of the Client VPN
  mlfleet.hyperpod.validate:
    refusals: "{{ __client_vpn.declared.refusals }}"
"""

RETURN = r"""
msg:
  description: The refusals as one text.
  returned: failure
  type: str
  sample: "client_vpn_renew_before: 400 is not allowed. Allowed: 1 to 365."
"""
