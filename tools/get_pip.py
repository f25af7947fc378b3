"""Install pip from the wheel in this folder; replaces the installer that ansible-test would download."""

from __future__ import annotations

import pathlib
import sys

wheel = next(pathlib.Path(__file__).parent.glob("pip-*.whl"))
sys.path.insert(0, str(wheel))

from pip._internal.cli.main import main  # noqa: E402

sys.exit(main(["install", "--quiet", "--no-index", "--no-deps", str(wheel)]))
