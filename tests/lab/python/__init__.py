# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What makes Python start faster where tests run the same modules thousands of times. This file alone is imported as `lab.python`
by others; the rest is found by its bare name, on PYTHONPATH.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent
DIST_PACKAGES = "usr/lib/python3/dist-packages"
FOLDERS = (HERE, HERE.parent / "hosts/image/files" / DIST_PACKAGES)
"""For PYTHONPATH of a controller."""
