# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The state that Slurm keeps on a controller node's disk. It is saved before an update blanks the disk, and restored afterwards.
Standard library only, Python 3.9 syntax."""
