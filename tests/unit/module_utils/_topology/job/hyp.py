# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as HyperPod's command line interface sends them."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Wish

from .jobs import LAYER, Object

SENT = Path(__file__).with_name("hyp_sends.yml")


@dataclass(frozen=True)
class Sent:
    case: str
    wish: Wish
    manifest: Object

    def as_people_write_it(self) -> Object:
        """The manifest for topology_job of the same job, without what its options declare."""
        bare = copy.deepcopy(self.manifest)
        bare["metadata"] = {"name": bare["metadata"]["name"]}
        del bare["spec"]["replicaSpecs"][0]["template"]["metadata"]
        return bare


def hyp_sends() -> list[Sent]:
    cases = yaml.safe_load(SENT.read_text("utf-8"))
    wishes = [Wish(each["mode"], f"{LAYER}{each['layer']}") if "mode" in each else Wish() for each in cases]
    return [Sent(each["case"], wish, each["sent"]) for each, wish in zip(cases, wishes)]
