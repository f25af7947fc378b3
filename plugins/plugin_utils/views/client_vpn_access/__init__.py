# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role client_vpn_access need."""

from __future__ import annotations

from . import profiles, report, revoked

VIEWS = (
    profiles.users,
    profiles.profiles,
    report.log,
    report.access,
    report.report,
    revoked.asked,
    revoked.crl,
    revoked.revoked,
)
