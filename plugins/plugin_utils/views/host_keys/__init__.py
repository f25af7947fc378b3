# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role host_keys need."""

from __future__ import annotations

from . import certificates, declared, node, private, rotation, verified

VIEWS = (
    declared.kind,
    declared.declared,
    declared.shared,
    node.node,
    node.identity,
    private.secrets,
    private.pairs,
    private.next_pairs,
    private.authority,
    certificates.own,
    certificates.signed,
    rotation.published,
    rotation.rotation,
    rotation.logins,
    rotation.learned,
    rotation.ends,
    rotation.settling,
    verified.endpoints,
    verified.unseen,
    verified.verdicts,
    verified.alike,
)
