# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The program for a Pod on a node without SSH. Standard library only, Python 3.9 syntax.

The program consists of these files, in one archive that Python runs (``_core/program_archive.py``).
"""
