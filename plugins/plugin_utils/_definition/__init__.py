# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The definition of a cluster, in the form of the module ``cluster`` or of AWS. For the control node only. The only I/O is reading
files."""
