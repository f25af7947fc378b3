# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ansible.cfg of the README equals that of inventories/example."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def settings(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}


def test_the_readme_and_the_example_have_the_same_settings() -> None:
    blocks = re.findall(r"^```ini\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M)
    found = [settings(block) for block in blocks if "[defaults]" in block]
    assert found == [settings((ROOT / "inventories/example/ansible.cfg").read_text())]
