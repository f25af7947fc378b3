# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let the data path follow the simulated API, including changes of security groups and interfaces."""

from __future__ import annotations

import logging
import threading
import typing as t

LOG = logging.getLogger(__name__)
SECONDS = 0.5


class Follower:
    """A thread that passes every load balancer to the data path, twice a second and after each change."""

    def __init__(self, this_cloud: t.Any) -> None:
        self.this_cloud = this_cloud
        self.wake = threading.Event()
        self.errors: dict[str, str] = {}

    def start(self) -> None:
        threading.Thread(target=self._run, name="follower", daemon=True).start()

    def _run(self) -> None:
        while True:
            self.wake.wait(SECONDS)
            self.wake.clear()
            self.once()

    def once(self) -> None:
        """Pass each load balancer to the data path once. Failures (its VPC has no bridge yet) are retried."""
        from moto.elbv2.models import elbv2_backends

        for regions in list(elbv2_backends.values()):
            for backend in list(regions.values()):
                for arn in list(backend.balancers):
                    try:
                        view = backend.view(arn)
                        if view is not None:
                            self.this_cloud.balancers.sync(view)
                        self.errors.pop(arn, None)
                    except Exception as error:  # one load balancer must not stop the others
                        if self.errors.get(arn) != str(error):
                            LOG.warning("load balancer %s: %s", arn, error)
                        self.errors[arn] = str(error)
