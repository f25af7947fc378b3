# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that nodes that run their Pods need, in the cache: ``python -m lab.pods.prepare``."""

from __future__ import annotations

import sys

from lab.debian import Progress
from lab.kubernetes import build
from lab.names import LabError

from . import pytorch, trees


def ensure(progress: Progress) -> None:
    """
    :raises LabError: if a given folder of Kubernetes' programs has no kubelet.
    """
    build.kubelet_of(build.ensure(progress))
    trees.NODE.ensure(progress)
    pytorch.ensure(progress)


if __name__ == "__main__":
    try:
        ensure(lambda text: print(f"  {text}", flush=True))
    except LabError as error:
        sys.exit(str(error))
