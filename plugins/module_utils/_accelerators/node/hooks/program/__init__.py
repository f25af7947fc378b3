# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The programs that Slurm runs on a node. Standard library only, Python 3.9 syntax.

The programs consist of these files, in one archive that Python runs (``payload``).
"""
