# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of AWX in one form, whether they are wanted or found. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

Values = t.Mapping[str, t.Any]
Key = tuple[str, str]
"""The kind and the name of an object."""
SECRET = "$encrypted$"
"""What AWX returns instead of a secret. A request with this text keeps the secret."""


@dataclass(frozen=True)
class Kind:
    """A kind of objects, with the name of its module in awx.awx."""

    name: str
    path: str
    """Its list in the API."""
    scope: str = "organization"
    """The field with the object that this object belongs to; empty if its name is unique in AWX."""
    hidden: tuple[str, ...] = ()
    """Fields that can contain secrets. Their values are never shown."""
    related: tuple[str, ...] = ()
    """Lists that the API returns at paths of their own below an object."""
    id: str = "name"
    """The option of the module with the name."""


NOTIFIED = ("notification_templates_error",)
EDGES = ("success_nodes", "failure_nodes", "always_nodes")
KINDS = {
    each.name: each
    for each in (
        Kind("organization", "organizations", scope=""),
        Kind("credential_type", "credential_types", scope=""),
        Kind("credential", "credentials", hidden=("inputs",)),
        Kind("credential_input_source", "credential_input_sources", scope="target_credential"),
        Kind("execution_environment", "execution_environments", scope=""),
        Kind("notification_template", "notification_templates", hidden=("notification_configuration",)),
        Kind("project", "projects"),
        Kind("inventory", "inventories"),
        Kind("inventory_source", "inventory_sources", scope="inventory"),
        Kind("job_template", "job_templates", related=NOTIFIED),
        Kind("schedule", "schedules", scope="unified_job_template"),
        Kind("workflow_job_template", "workflow_job_templates", related=("notification_templates_approvals", *NOTIFIED)),
        Kind("workflow_job_template_node", "workflow_job_template_nodes", scope="workflow_job_template", id="identifier"),
        Kind("team", "teams"),
        Kind("role", "roles", scope="team"),
    )
}
"""In the order in which AWX accepts them, by name."""


@dataclass(frozen=True)
class Object:
    """An object of AWX. It refers to other objects by their names."""

    kind: str
    name: str
    values: Values = field(default_factory=dict)
    refers: t.Mapping[str, str | None] = field(default_factory=dict)
    """Names of other objects by field."""
    lists: t.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of associated objects by field. Their order does not count."""
    mark: str = ""
    """The key in our mark; empty for an object of someone else, and for wanted objects that cannot have a mark."""

    @property
    def key(self) -> Key:
        return self.kind, self.name

    @property
    def fields(self) -> dict[str, t.Any]:
        return {**self.values, **self.refers, **{name: sorted(each) for name, each in self.lists.items()}}
