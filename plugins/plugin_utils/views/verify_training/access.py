# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The access to the model that the user's program trains."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training import checks as of_checks
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.checks import ACCESS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .checks import why

READ = "__verify_training_access_read"
"""The variable with the result of ``hugging_face_model_info``."""


@view
def access_checked(variables: Variables) -> list[dict[str, t.Any]]:
    """The first check of the cluster."""
    returned = plain(variables[READ])
    found = returned.get("hugging_face_model")
    return [(of_checks.of_access(found) if found else of_checks.no_answer(ACCESS, why(returned))).to_task()]
