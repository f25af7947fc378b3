# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of an add-on as text (JSON or YAML, EKS accepts both) and as values."""

from __future__ import annotations

import json
import typing as t

from ..._kubernetes.yaml_text import HAS_YAML, NotYaml, document


class Unreadable(Exception):
    """Why a text is neither JSON nor YAML, or can't be read."""


def parsed(text: str) -> t.Any:
    """An empty text means no settings.

    :raises Unreadable: with the reason.
    """
    if not text.strip():
        return {}
    try:
        return json.loads(text)
    except ValueError as error:
        if not HAS_YAML:
            raise Unreadable(f"it is not JSON ({error}), and YAML needs the Python library PyYAML, which is missing") from error
    try:
        return document(text) or {}
    except NotYaml as error:
        raise Unreadable(str(error)) from error


def text_of(values: t.Any) -> str:
    """The same text for the same values."""
    return json.dumps(values, sort_keys=True)
