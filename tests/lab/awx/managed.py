# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a new AWX has: the organization Default, the administrator, and managed credential types."""

from __future__ import annotations

import typing as t

from .objects import Objects

SUPERUSER = "admin"
_SECRETS = ("password", "ssh_key_data", "ssh_key_unlock", "become_password", "security_token", "aws_secret_key")
_SSH = ("username", "password", "ssh_key_data", "ssh_public_key_data", "ssh_key_unlock")
_TYPES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("Machine", "ssh", "ssh", (*_SSH, "become_method", "become_username", "become_password")),
    ("Source Control", "scm", "scm", ("username", "password", "ssh_key_data", "ssh_key_unlock")),
    ("Amazon Web Services", "cloud", "aws", ("username", "password", "security_token")),
    ("AWS Secrets Manager lookup", "external", "aws_secretsmanager_credential", ("aws_access_key", "aws_secret_key")),
)
"""Name, kind, namespace and inputs. A real AWX has more types."""
_AWS = {"AWS_ACCESS_KEY_ID": "username", "AWS_SECRET_ACCESS_KEY": "password", "AWS_SESSION_TOKEN": "security_token"}


def add_to(objects: Objects, password: str) -> None:
    organization = {"name": "Default", "description": "", "max_hosts": 0, "default_environment": None}
    objects.add("organizations", organization)
    objects.add("users", {"username": SUPERUSER, "password": password, "is_superuser": True})
    for name, kind, namespace, inputs in _TYPES:
        fields = [{"id": each, "label": each, "type": "string", "secret": each in _SECRETS} for each in inputs]
        values: dict[str, t.Any] = {"name": name, "kind": kind, "namespace": namespace, "description": "", "managed": True}
        values |= {"inputs": {"fields": fields}, "injectors": {}}
        if namespace == "aws":
            values["injectors"] = {"env": {variable: f"{{{{ {each} }}}}" for variable, each in _AWS.items()}}
        objects.add("credential_types", values)
