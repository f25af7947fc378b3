# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python in the lab's shell: it keeps compiled modules, as the nodes' does, and is in no hurry to collect garbage, since
nearly all of its processes are over after half a second.
"""

import gc

import kept_code

gc.set_threshold(100_000, 50)
kept_code.keep()
