# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The document of a fleet, and the text of one section of its page."""

from __future__ import annotations

import re
import typing as t

import pytest
from simulated.fleet_document import document


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, t.Any]:
    return document(tmp_path_factory.mktemp("store"))


def text_of(markup: str, anchor: str = "") -> str:
    """The text of a section, or of all markup, with single spaces."""
    found = re.search(rf'<section id="{anchor}".*?</section>', markup, re.DOTALL) if anchor else re.search(".*", markup, re.DOTALL)
    assert found, anchor
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())
