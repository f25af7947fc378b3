# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python in the lab's shell does as the nodes' does: it keeps compiled modules."""

import kept_code

kept_code.keep()
