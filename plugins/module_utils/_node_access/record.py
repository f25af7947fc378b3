# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Trust records in Parameter Store. They outlive the control node, which may be a container."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._aws.client import Api
from .model import Keys, Record, shared_keys
from .people import Given

NAMES_A_CALL = 10


def prefix(cluster_id: str) -> str:
    return f"/mlfleet/hyperpod/{cluster_id}"


def record_name(cluster_id: str, instance_id: str) -> str:
    return f"{prefix(cluster_id)}/trust/{instance_id}"


def people_name(cluster_id: str) -> str:
    return f"{prefix(cluster_id)}/people"


@dataclass(frozen=True)
class Recorded:
    """All records of a cluster. ``names`` includes the records that cannot be parsed."""

    records: t.Mapping[str, Record]
    shared: Keys
    names: frozenset[str]
    """Instance IDs."""
    given: Given | None = None
    """The record of the nodes that have the declared users."""


class Records(Api):
    """The parameters of one cluster."""

    def load(self, cluster_id: str) -> Recorded:
        """Read all records in one listing with ten parameters per page."""
        path = prefix(cluster_id)
        parameters = self.pages(
            "GetParametersByPath", "Parameters", about=path, Path=path, Recursive=True, WithDecryption=False
        )
        values = {parameter["Name"]: parameter.get("Value", "") for parameter in parameters}
        trust = record_name(cluster_id, "")
        texts = {name[len(trust) :]: value for name, value in values.items() if name.startswith(trust)}
        read = {instance_id: Record.from_json(text) for instance_id, text in texts.items()}
        given = values.get(people_name(cluster_id))
        return Recorded(
            records={instance_id: record for instance_id, record in read.items() if record is not None},
            shared=shared_keys(values.get(f"{path}/host-keys")),
            names=frozenset(texts),
            given=None if given is None else Given.from_json(given),
        )

    def save(self, cluster_id: str, record: Record) -> None:
        name = record_name(cluster_id, record.triple[0])
        self._put(name, record.to_json(), "Public host keys of a HyperPod node, trusted through an SSM session")

    def save_given(self, cluster_id: str, given: Given) -> None:
        self._put(people_name(cluster_id), given.to_json(), "Nodes of a HyperPod cluster without the declared users")

    def forget_given(self, cluster_id: str) -> None:
        self._delete(cluster_id, [people_name(cluster_id)])

    def delete(self, cluster_id: str, instance_ids: t.Sequence[str]) -> None:
        self._delete(cluster_id, [record_name(cluster_id, instance_id) for instance_id in instance_ids])

    def _put(self, name: str, text: str, description: str) -> None:
        self.call(
            "PutParameter", about=name, Name=name, Value=text, Type="String", Overwrite=True, Description=description
        )

    def _delete(self, cluster_id: str, names: t.Sequence[str]) -> None:
        for start in range(0, len(names), NAMES_A_CALL):
            self.call("DeleteParameters", about=prefix(cluster_id), Names=names[start : start + NAMES_A_CALL])
