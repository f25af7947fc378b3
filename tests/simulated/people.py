# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clusters of ``hostile`` with nodes in ``ml`` that store accounts; one of them may become unreachable."""

from __future__ import annotations

import contextlib
import json
import sys
import typing as t
from pathlib import Path

import yaml
from simulated import hostile, simulated_aws

HERE = Path(__file__).parent
KINDS = ("controller", "login", "compute")
AWAY = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1, "ansible_ssh_common_args": "-F /dev/null"}


class World(hostile.World):
    """``nodes``: instance IDs of the nodes of ``ml`` by type."""

    def _write_inventory(self) -> None:
        """Remove the records of the other cluster, as in a run that is limited to ``ml``."""
        super()._write_inventory()
        found = yaml.safe_load(self.inventory.read_text())
        del hostile._hosts(found)["other"]["hyperpod_run"]["records"]
        self.inventory.write_text(yaml.safe_dump(found))

    def _liar(self, variables: t.Mapping[str, t.Any]) -> dict[str, str]:
        folder = self.folder / "nodes" / variables["hyperpod_node_type"]
        folder.mkdir(parents=True)
        program = folder / "python3"
        program.write_text(f"#!{sys.executable} -IS\n" + (HERE / "obedient.py").read_text())
        program.chmod(0o755)
        return {"ansible_python_interpreter": str(program)}

    @property
    def nodes(self) -> dict[str, str]:
        found = hostile._hosts(yaml.safe_load(self.inventory.read_text()))
        return {
            each["hyperpod_node_type"]: each["hyperpod_instance_id"] for name, each in found.items() if name.startswith("ml-")
        }

    def accounts(self, kind: str) -> dict[str, t.Any]:
        """Accounts that the node received, by name."""
        file = self.folder / "nodes" / kind / "people.json"
        return {each["name"]: each for each in json.loads(file.read_text())} if file.exists() else {}

    def contacted(self) -> set[str]:
        """Types of the nodes that ran modules since ``forget_contacts``."""
        return {file.name for file in self.folder.glob("nodes/*/modules") for file in [file.parent] if file.exists()}

    def forget_contacts(self) -> None:
        for file in self.folder.glob("nodes/*/modules"):
            file.unlink()

    def path(self, *parts: str, cluster: str = "ml") -> str:
        """Name of a parameter of the cluster."""
        return "/".join(["/mlfleet/hyperpod", self.arns[cluster].rpartition("/")[2], *parts])

    def parameters(self, *parts: str) -> dict[str, str]:
        pages = self.aws.client("ssm").get_paginator("get_parameters_by_path")
        parameters = pages.paginate(Path=self.path(*parts), Recursive=True)
        return {each["Name"]: each["Value"] for page in parameters for each in page["Parameters"]}

    def put(self, name: str, text: str) -> None:
        self.aws.client("ssm").put_parameter(Name=name, Value=text, Type="String", Overwrite=True)

    @contextlib.contextmanager
    def silent(self, kind: str) -> t.Iterator[None]:
        """Make the node unreachable."""
        before = self.inventory.read_text()
        found = yaml.safe_load(before)
        for name, variables in hostile._hosts(found).items():
            if name.startswith("ml-") and variables["hyperpod_node_type"] == kind:
                variables.update(AWAY)
        self.inventory.write_text(yaml.safe_dump(found))
        try:
            yield
        finally:
            self.inventory.write_text(before)


@contextlib.contextmanager
def world(folder: Path) -> t.Iterator[World]:
    with simulated_aws(folder) as aws:
        yield World(folder, aws)
