# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The registries of ECR, to which builders push images: ``ACCOUNT.dkr.ecr.REGION.amazonaws.com``, all on one loopback port.

A program reaches them through this port as its proxy, with TLS, or without TLS with the name of a registry in the header Host. As in AWS, a password is
valid for the registries of one Region only. A pushed image is in the simulated ECR.
"""
