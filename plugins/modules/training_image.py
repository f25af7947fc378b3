#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build a training image and push it to Amazon ECR."""

from __future__ import annotations

DOCUMENTATION = r"""
module: training_image
short_description: Build a training image and push it to Amazon ECR
version_added: 0.1.0
description:
  - Builds a container image with Docker, Podman or Buildah on the host that runs the module, which is usually the control node.
    Pushes the image to a repository of Amazon ECR, and returns its digest, so that Pods can refer to exactly this image.
  - Builds only if the contents have changed. The module computes a digest of the build context, O(containerfile), O(build_args)
    and O(platform), and gives the image a second tag C(source-) with the first 20 digits. If the repository has an image with
    this tag, the module only moves O(tag) to it, without a build, a login or a download.
  - Logs in to the registry of the repository and to each private registry of ECR that O(containerfile) refers to, each with a
    token of the registry's own Region. A token for one Region is not valid in another. The logins are in a private folder,
    which the module removes. The tokens never appear in arguments, logs and results.
  - The modules of C(community.docker.docker_image) and C(community.docker.docker_image_build) require Docker. They and
    C(containers.podman.podman_image) get no tokens from ECR, do not compare the contents of the build context with the pushed
    image, and do not document a return value with the digest that ECR has stored.
options:
  repository:
    description:
      - Name of an existing repository in the caller's account and O(region). Create it with C(community.aws.ecs_ecr).
      - Check mode accepts a repository that does not exist, because an earlier task may create it.
    type: str
    required: true
  tag:
    description:
      - Tag of the image. It must not begin with C(source-).
    type: str
    required: true
  context:
    description:
      - Absolute path of the folder with the files for the build.
      - The module honors C(.dockerignore). If there is another ignore file, such as C(.containerignore), which only some
        builders read, every file of the folder counts as a part of the contents.
      - Modification times and owners of files are not part of the contents. Permissions are.
    type: path
    required: true
  containerfile:
    description:
      - Path of the file with the instructions for the build, relative to O(context).
      - If omitted, it is the file C(Containerfile) or C(Dockerfile). Required if O(context) has both.
    type: str
  build_args:
    description:
      - Values of C(ARG) instructions.
      - They are visible in the history of the image, in the list of processes, and in the output of Ansible. Never put a secret
        here.
    type: dict
    default: {}
  platform:
    description:
      - Platform of the image. A platform other than that of the host requires emulation for C(RUN) instructions.
    type: str
    choices: [linux/amd64, linux/arm64]
    default: linux/amd64
  builder:
    description:
      - Program that builds the image. V(auto) is the first of V(docker), V(podman) and V(buildah) that is in an absolute folder
        of C(PATH).
      - The program is only required if a build is necessary.
    type: str
    choices: [auto, docker, podman, buildah]
    default: auto
  timeout:
    description:
      - Seconds for the logins, the build and the push together, V(1) to V(39600). A token of ECR is valid for 12 hours.
      - A base image with CUDA and PyTorch has about 20 GB.
    type: int
    default: 7200
  scan_timeout:
    description:
      - Seconds to wait until ECR has scanned the image for vulnerabilities, V(0) to V(86400). With V(0), the module returns the
        current status.
      - A scan that is impossible, or that does not end in time, is not an error. ECR does not scan all images, for example very
        large ones.
    type: int
    default: 0
  _progress_file:
    description:
      - Internal, set by the action plugin. Path of a file to which the module writes lines about the progress.
    type: path
attributes:
  check_mode:
    support: full
    details:
      - Reads the build context and ECR, and returns whether the image would be built, tagged, or left as it is.
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(ecr:DescribeRepositories), C(ecr:DescribeImages), to move the tag C(ecr:BatchGetImage) and C(ecr:PutImage),
      and to build and push an image also C(ecr:GetAuthorizationToken), C(ecr:BatchCheckLayerAvailability),
      C(ecr:InitiateLayerUpload), C(ecr:UploadLayerPart), C(ecr:CompleteLayerUpload), and for base images in ECR
      C(ecr:GetDownloadUrlForLayer)."
  - A base image whose tag has moved to another image is not a change of the contents. Refer to base images by digest, or change
    a value in O(build_args), to build again.
  - The builder keeps the image and its layers on the host. Remove unused images with C(docker image prune), C(podman image
    prune) or C(buildah prune).
  - Docker uses a private configuration folder, so that the module does not read or change your logins. Plugins and proxies from
    your own folder C(~/.docker) are therefore not used. Proxies in environment variables are used.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.training_job
  - name: Pushing an image to a private repository
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/AmazonECR/latest/userguide/image-push.html
"""

EXAMPLES = r"""
- name: Create the repository
  community.aws.ecs_ecr:
    region: us-west-2
    name: hyperpod-training
    scan_on_push: true

- name: Build the image from a Deep Learning Container, and push it
  mlfleet.hyperpod.training_image:
    region: us-west-2
    repository: hyperpod-training
    tag: llama-fsdp
    context: "{{ playbook_dir }}/image"
    build_args:
      BASE: 763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch:2.12-cu130-amzn2023
    scan_timeout: 600
  register: built

- name: Print the reference for Pods
  ansible.builtin.debug:
    msg: "{{ built.training_image.reference }}"
"""

RETURN = r"""
training_image:
  description: The image. In check mode, the predicted image.
  returned: success
  type: dict
  contains:
    repository_uri:
      description: URI of the repository. C((known after apply\)) in check mode if the repository does not exist.
      type: str
      sample: 111111111111.dkr.ecr.us-west-2.amazonaws.com/hyperpod-training
    tag:
      description: Tag of the image.
      type: str
      sample: llama-fsdp
    digest:
      description: Digest of the image's manifest in ECR.
      type: str
      sample: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    reference:
      description: URI of the repository and digest, for the field C(image) of a Pod.
      type: str
      sample: >-
        111111111111.dkr.ecr.us-west-2.amazonaws.com/hyperpod-training@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    source_tag:
      description: Second tag of the image, which identifies the contents of the build.
      type: str
      sample: source-0123456789abcdef0123
    size_bytes:
      description: Compressed size of the image in bytes, as ECR returns it. It is 0 for a list of manifests.
      type: int
      sample: 9663676416
    pushed_at:
      description: Time of the push in UTC.
      type: str
      sample: '2026-11-29T10:00:00Z'
    platform:
      description: Platform of the image.
      type: str
      sample: linux/amd64
    base_images:
      description: References of the images that the build pulls, in the order of their first use.
      type: list
      elements: str
      sample: ['763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch:2.12-cu130-amzn2023']
    scan:
      description: ECR's scan of the image for vulnerabilities.
      type: dict
      contains:
        status:
          description:
            - C(complete), C(in_progress), or C(not_scanned) with the C(reason), for example if ECR can't scan an image of this size
              or type, or if the repository does not scan images.
          type: str
          sample: complete
        reason:
          description: Status and description of ECR. Empty for C(complete).
          type: str
          sample: ''
        severities:
          description: Number of findings, keyed by severity. Empty unless the status is C(complete).
          type: dict
          sample: {"critical": 0, "high": 3, "medium": 12, "low": 4, "informational": 0, "undefined": 0}
        completed_at:
          description: Time at which the scan ended in UTC. Null unless the status is C(complete).
          type: str
          sample: '2026-11-29T10:05:00Z'
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: image hyperpod-training:source-0123456789abcdef0123
      field: null
      before: null
      after: (known after apply)
    - action: update
      resource: image tag hyperpod-training:llama-fsdp
      field: digest
      before: sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
      after: (known after apply)
"""

import os
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress, Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image import builders, options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.apply import Applier, Here
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.observe import SCAN_INTERVAL, Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.plan import BUILD, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import run_aws

SPEC = {
    "repository": {"type": "str", "required": True},
    "tag": {"type": "str", "required": True},
    "context": {"type": "path", "required": True},
    "containerfile": {"type": "str"},
    "build_args": {"type": "dict", "default": {}},
    "platform": {"type": "str", "choices": ["linux/amd64", "linux/arm64"], "default": "linux/amd64"},
    "builder": {"type": "str", "choices": [builders.AUTO, *builders.PROGRAMS], "default": builders.AUTO},
    "timeout": {"type": "int", "default": 7200},
    "scan_timeout": {"type": "int", "default": 0},
    "_progress_file": {"type": "path"},
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    ecr, progress = connect(module, "ecr"), Progress(module.params["_progress_file"])
    waits = bool(desired.scan_timeout) and not module.check_mode
    scans = Waits(timeout=desired.scan_timeout, interval=SCAN_INTERVAL, progress=progress) if waits else None
    observer = Observer(ecr, desired, scans=scans, check_mode=module.check_mode)

    def builder() -> builders.Builder:
        return builders.find(module.params["builder"], os.environ)

    def planned(state: State) -> Plan:
        found = plan(desired, state)
        if any(step.operation == BUILD for step in found.steps):
            builder()
        return found

    return Resource(
        observe=observer,
        plan=planned,
        apply=Applier(
            ecr,
            desired,
            observer,
            Here(module.params, builder, module.tmpdir, progress),
            ecr_in=lambda region: connect(module, "ecr", region=region),
            hide=module.no_log_values.add,
        ),
        result=lambda state: result(desired, state),
        lost_race=f"Other runs changed {desired.resource} at the same time. Run again.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
