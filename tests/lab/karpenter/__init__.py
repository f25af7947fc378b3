# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The visible part of AWS's managed Karpenter: the status of NodeClasses and NodePools, and added and removed nodes.

It follows the documentation, not Karpenter's code: nodes are removed if they are empty, never because their pods would fit
elsewhere; Spot, prices and expiry are not simulated.
"""
