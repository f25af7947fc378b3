# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of AWS's managed Karpenter that people see: what it says of NodeClasses and NodePools, and how nodes come and go.

It follows the documents, not Karpenter's code: nodes are taken away when they are empty, never because their pods would fit
elsewhere; Spot, price and expiry are left out.
"""
