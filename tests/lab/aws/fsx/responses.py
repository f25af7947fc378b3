# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations."""

from __future__ import annotations

import base64
import typing as t

from moto.fsx.responses import FSxResponse

from ..action import action

Answer = dict[str, t.Any]
PAGE = 2


class Responses(FSxResponse):
    """Replaces moto's handlers; a page has two file systems, so that callers must read later pages."""

    @action
    def create_file_system(self, **given: t.Any) -> Answer:
        return {"FileSystem": self.fsx_backend.made(given)}

    @action
    def describe_file_systems(self, FileSystemIds: t.Sequence[str] = (), NextToken: str = "", **_: t.Any) -> Answer:
        found = self.fsx_backend.described(FileSystemIds)
        start = int(base64.b64decode(NextToken) or 0)
        more = {"NextToken": base64.b64encode(str(start + PAGE).encode()).decode()} if start + PAGE < len(found) else {}
        return {"FileSystems": found[start : start + PAGE], **more}

    @action
    def update_file_system(self, **given: t.Any) -> Answer:
        return {"FileSystem": self.fsx_backend.updated(given)}

    @action
    def delete_file_system(self, **given: t.Any) -> Answer:
        return t.cast(Answer, self.fsx_backend.removed(given))

    @action
    def tag_resource(self, ResourceARN: str, Tags: list[dict[str, str]]) -> None:
        self.fsx_backend.tagger.tag_resource(self.fsx_backend.tags(ResourceARN), Tags)

    @action
    def untag_resource(self, ResourceARN: str, TagKeys: list[str]) -> None:
        self.fsx_backend.tagger.untag_resource_using_names(self.fsx_backend.tags(ResourceARN), TagKeys)

    @action
    def list_tags_for_resource(self, ResourceARN: str, **_: t.Any) -> Answer:
        return {"Tags": self.fsx_backend.list_tags_for_resource(self.fsx_backend.tags(ResourceARN))}
