# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long AWS patches its Deep Learning Containers with PyTorch."""

from __future__ import annotations

import datetime
import re

AS_OF = "2026-08-21"
"""The date of the table's source, https://aws.github.io/deep-learning-containers/reference/support_policy."""
PATCHED_UNTIL = {
    "pytorch-training:2.9.0-gpu-py312-cu130-ubuntu22.04-ec2": "2026-10-15",
    "pytorch-training:2.10.0-gpu-py313-cu130-ubuntu22.04-ec2": "2027-01-21",
    "pytorch:2.11-cu130-amzn2023": "2027-04-30",
    "pytorch:2.12-cu130-amzn2023": "2027-07-02",
    "pytorch:2.13-cu133-amzn2023": "2027-07-20",
}
WARNING_DAYS = 90
_REGISTRY = r"(?:public\.ecr\.aws/deep-learning-containers|\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?)"
_OF_AWS = re.compile(rf"{_REGISTRY}/([^@]+)(?:@.+)?")


def patches_end(image: str, today: datetime.date) -> str:
    """A warning if the patches of an image have ended or end within 90 days; otherwise empty, also for images not in the table."""
    match = _OF_AWS.fullmatch(image)
    until = PATCHED_UNTIL.get(match[1], "") if match else ""
    if not until or (datetime.date.fromisoformat(until) - today).days > WARNING_DAYS:
        return ""
    verb = "ended" if until < today.isoformat() else "end"
    ended = f"AWS's patches for {image} {verb} on {until} (support policy of {AS_OF})."
    return f"{ended} Set verify_training_image to a newer image."
