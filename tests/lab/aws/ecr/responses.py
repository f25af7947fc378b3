# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations on images, and the tokens for logins."""

from __future__ import annotations

import datetime
import typing as t

from moto.ecr.responses import ECRResponse

from .. import request
from ..action import Refusal, action
from . import tokens

Answer = dict[str, t.Any]
TOKEN_HOURS = 12


class Responses(ECRResponse):
    """Replaces moto's handlers of images."""

    @action
    def describe_repositories(self, repositoryNames: t.Sequence[str] = (), **_: t.Any) -> Answer:
        found = [self.ecr_backend.found(name)[0] for name in repositoryNames] or list(self.ecr_backend.repositories.values())
        return {"repositories": [_described(each) for each in found]}

    @action
    def describe_images(self, repositoryName: str, imageIds: t.Sequence[Answer] = (), **_: t.Any) -> Answer:
        backend = self.ecr_backend
        found = [backend.digest(repositoryName, each, lags=True) for each in imageIds]
        if None in found:
            missing = imageIds[found.index(None)]
            text = f"The image with imageId {missing} does not exist within the repository with name '{repositoryName}'"
            raise Refusal("ImageNotFoundException", text)
        digests = found if imageIds else list(backend.found(repositoryName)[1].images)
        return {"imageDetails": [backend.description(repositoryName, each) for each in dict.fromkeys(digests)]}

    @action
    def batch_get_image(self, repositoryName: str, imageIds: t.Sequence[Answer], acceptedMediaTypes: t.Sequence[str] = (), **_: t.Any) -> Answer:
        """Without the type of the manifest among the accepted ones, the answer lacks the image, where AWS may convert it."""
        backend = self.ecr_backend
        answer: Answer = {"images": [], "failures": []}
        for each in imageIds:
            digest = backend.digest(repositoryName, each, lags=False)
            image = backend.found(repositoryName)[1].images.get(digest)
            if image is None or (acceptedMediaTypes and image.media_type not in acceptedMediaTypes):
                answer["failures"].append({"imageId": each, "failureCode": "ImageNotFound", "failureReason": "Requested image not found"})
                continue
            answer["images"].append(
                {
                    "registryId": backend.account_id,
                    "repositoryName": repositoryName,
                    "imageId": {**each, "imageDigest": digest},
                    "imageManifest": image.manifest,
                    "imageManifestMediaType": image.media_type,
                }
            )
        return answer

    @action
    def put_image(
        self, repositoryName: str, imageManifest: str, imageManifestMediaType: str = "", imageTag: str | None = None, imageDigest: str | None = None
    ) -> Answer:
        made = self.ecr_backend.put(repositoryName, imageManifest, imageManifestMediaType, imageTag, imageDigest)
        return {"image": {**made, "imageManifest": imageManifest, "imageManifestMediaType": imageManifestMediaType}}

    @action
    def get_authorization_token(self, **_: t.Any) -> Answer:
        call = request.current()
        until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=TOKEN_HOURS)
        proxy = f"https://{call.account}.dkr.ecr.{call.region}.amazonaws.com"
        return {"authorizationData": [{"authorizationToken": tokens.token(call.account, call.region), "expiresAt": until, "proxyEndpoint": proxy}]}


def _described(repository: t.Any) -> Answer:
    filters = repository.image_tag_mutability_exclusion_filters
    return {
        "repositoryArn": repository.arn,
        "registryId": repository.registry_id,
        "repositoryName": repository.name,
        "repositoryUri": repository.uri,
        "createdAt": repository.created_at,
        "imageTagMutability": str(getattr(repository.image_tag_mutability, "value", repository.image_tag_mutability)),
        **({"imageTagMutabilityExclusionFilters": filters} if filters else {}),
        "imageScanningConfiguration": repository.image_scanning_configuration,
        "encryptionConfiguration": repository.encryption_configuration,
    }
