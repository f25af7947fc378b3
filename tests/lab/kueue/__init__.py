# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""As much of Kueue, and of the operators of jobs, as tests of placements need: it follows a script and decides nothing.

``governance`` is what HyperPod makes of task governance in Kubernetes.
"""
