# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of the role topology."""

from __future__ import annotations

from .text import Text, Texts

TEXTS: Texts = {
    "topology-not-read": Text(
        "topology-not-read",
        "Nobody told where the nodes are: no controller was reached. Run login_access, or reconcile, and look again.",
    ),
}
