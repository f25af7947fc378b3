# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What takes most of a module's time, done once for all forks of a process: Ansible's own module code, boto3 and the models
of the services.
"""

from __future__ import annotations

import gc

import ansible.module_utils.basic  # pylint: disable=unused-import  # loaded for the forks
import boto3
import botocore.session
import cryptography.x509  # pylint: disable=unused-import  # loaded for the forks

SERVICES = ("acm", "ec2", "elbv2", "logs", "sagemaker", "secretsmanager", "ssm", "sts")


def load() -> None:
    """Every client made from now on, in this process and its forks, finds the models loaded."""
    loader = botocore.session.create_loader()
    botocore.session.create_loader = lambda search_path_string=None: loader
    for service in SERVICES:
        boto3.client(service, region_name="us-west-2", aws_access_key_id="none", aws_secret_access_key="none")
    boto3.DEFAULT_SESSION = None
    gc.freeze()
