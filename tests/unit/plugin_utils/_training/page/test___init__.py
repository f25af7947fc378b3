# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page under the name that other modules import."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page import page
from simulated.training_report import report


def test_the_page_is_exported() -> None:
    assert page(report()).startswith("<!DOCTYPE html>")
