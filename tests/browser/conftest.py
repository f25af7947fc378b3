# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One browser for all tests of this folder; they write the pages that they open."""

from __future__ import annotations

import typing as t

import pytest
from browser import chromium, devtools
from browser.devtools import Browser


@pytest.fixture(scope="session")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[tuple[Browser, t.Any]]:
    """The browser and the folder that it reads from."""
    pages = tmp_path_factory.mktemp("pages")
    with devtools.browser(chromium.ensure(print), pages) as found:
        yield found, pages
