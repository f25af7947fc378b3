# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The job in docs/use/topology.md is refused without the rights that the page shows, and accepted with them."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Wish
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.render import render

PAGE = Path(__file__).resolve().parents[3] / "docs/use/topology.md"
BLOCK = re.compile(r"```yaml\n# (\S+)\n(.*?)```", re.S)


def test_the_job_with_efa_needs_exactly_the_rights_of_the_page() -> None:
    shown = {name: yaml.safe_load(text) for name, text in BLOCK.findall(PAGE.read_text())}
    job, rights = shown["fsdp.yaml"], shown["group_vars/cluster_training.yml"]["topology_job_pod_rights"]
    options: dict[str, t.Any] = {"source": "src", "namespace": None, "queue": "training", "priority": None, "wish": Wish(), "sent": True}
    with pytest.raises(Refused) as refused:
        render(job, **options)
    assert str(rights).replace("'", '"') in str(refused.value)
    assert list(render(job, allowed=rights, **options).rights) == rights
    with pytest.raises(Refused, match="baseline"):
        render({**job, "metadata": {"name": "fsdp", "namespace": "hyperpod-ns-a"}}, allowed=rights, **options)
