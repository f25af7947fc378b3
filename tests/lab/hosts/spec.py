# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The specification of a machine."""

from __future__ import annotations

from dataclasses import dataclass

from lab.slurm.configuration import Member


@dataclass(frozen=True)
class HostSpec:
    """`fsx` names a shared file system that is mounted at /fsx."""

    instance_id: str
    name: str
    ip: str
    prefix_length: int
    vpc_id: str
    cluster_id: str
    group: str
    node_type: str = "none"  # controller, login, compute or none
    instance_type: str = ""
    fsx: str | None = None
    controller_ip: str | None = None

    @property
    def member(self) -> Member:
        return Member(self.name, self.ip, self.node_type, self.instance_type)
