# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Trust records in Parameter Store: they outlive the controller, which may be a container."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._aws import Api
from .model import Keys, Record, shared_keys

NAMES_A_CALL = 10


def prefix(cluster_id: str) -> str:
    return f"/mlfleet/hyperpod/{cluster_id}"


def record_name(cluster_id: str, instance_id: str) -> str:
    return f"{prefix(cluster_id)}/trust/{instance_id}"


@dataclass(frozen=True)
class Recorded:
    """All that is recorded for a cluster. ``names`` holds every trust parameter, readable or not."""

    records: t.Mapping[str, Record]
    shared: Keys
    names: frozenset[str]
    """Instance ids."""


class Records(Api):
    """The parameters below one cluster's path."""

    def load(self, cluster_id: str) -> Recorded:
        """One listing, ten parameters a page."""
        path = prefix(cluster_id)
        parameters = self.pages(
            "GetParametersByPath", "Parameters", about=path, Path=path, Recursive=True, WithDecryption=False
        )
        values = {parameter["Name"]: parameter.get("Value", "") for parameter in parameters}
        trust = record_name(cluster_id, "")
        texts = {name[len(trust) :]: value for name, value in values.items() if name.startswith(trust)}
        read = {instance_id: Record.from_json(text) for instance_id, text in texts.items()}
        return Recorded(
            records={instance_id: record for instance_id, record in read.items() if record is not None},
            shared=shared_keys(values.get(f"{path}/host-keys")),
            names=frozenset(texts),
        )

    def save(self, cluster_id: str, record: Record) -> None:
        name = record_name(cluster_id, record.triple[0])
        self.call(
            "PutParameter",
            about=name,
            Name=name,
            Value=record.to_json(),
            Type="String",
            Overwrite=True,
            Description="Public host keys of a HyperPod node, trusted through an SSM session",
        )

    def delete(self, cluster_id: str, instance_ids: t.Sequence[str]) -> None:
        names = [record_name(cluster_id, instance_id) for instance_id in instance_ids]
        for start in range(0, len(names), NAMES_A_CALL):
            self.call("DeleteParameters", about=prefix(cluster_id), Names=names[start : start + NAMES_A_CALL])
