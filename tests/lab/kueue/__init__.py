# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of Kueue and of job operators that tests of placements need: they follow a script and decide nothing.

``governance`` creates the Kubernetes objects of HyperPod's task governance.
"""
