# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The images of device plugins that this collection installs by default: a table of August 2026.

| image | tag | date | source |
|---|---|---|---|
| NVIDIA's device plugin | v0.20.0 | 2026-08-19 | tag of github.com/NVIDIA/k8s-device-plugin; eksctl 0.230.0 installs it |
| AWS's EFA device plugin | v0.5.20 | 2026-06-15 | chart aws-efa-k8s-device-plugin of github.com/aws/eks-charts |

AWS publishes the EFA plugin only in the private registries of EKS, one in each Region. Accounts: the page add-ons-images of the
EKS user guide, and types.go of eksctl 0.230.0. The two disagree about ap-southeast-6, and the Regions of AWS's isolated
partitions were not checked.
"""

from __future__ import annotations

from ..._core.failure import Refused

NVIDIA = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
EFA = "{account}.dkr.ecr.{region}.{domain}/eks/aws-efa-k8s-device-plugin:v0.5.20"
ACCOUNT = "602401143452"
"""The account of EKS in all Regions that ``ACCOUNTS`` lacks."""
ACCOUNTS = {
    "af-south-1": "877085696533",
    "ap-east-1": "800184023465",
    "ap-east-2": "533267051163",
    "ap-south-2": "900889452093",
    "ap-southeast-3": "296578399912",
    "ap-southeast-4": "491585149902",
    "ap-southeast-5": "151610086707",
    "ap-southeast-7": "121268973566",
    "ca-west-1": "761377655185",
    "cn-north-1": "918309763551",
    "cn-northwest-1": "961992271922",
    "eu-central-2": "900612956339",
    "eu-south-1": "590381155156",
    "eu-south-2": "455263428931",
    "il-central-1": "066635153087",
    "me-central-1": "759879836304",
    "me-south-1": "558608220178",
    "mx-central-1": "730335286997",
    "us-gov-east-1": "151742754352",
    "us-gov-west-1": "013241004608",
}
UNKNOWN = ("ap-southeast-6", "us-iso", "eu-iso")
"""The prefixes of Regions whose registry is not known."""


def efa(region: str | None) -> str:
    """The image of AWS's EFA device plugin in a Region.

    :raises Refused: if no Region is set, or if its registry is not known.
    """
    if not region or region.startswith(UNKNOWN):
        why = f"the registry of EKS in Region {region} is not known" if region else "no Region is set"
        raise Refused(f"efa_image: missing; {why}. Set efa_image to the image of AWS's EFA device plugin.", option="efa_image")
    domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return EFA.format(account=ACCOUNTS.get(region, ACCOUNT), region=region, domain=domain)
