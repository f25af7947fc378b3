"""Figures on playbooks."""

from __future__ import annotations

from pathlib import PurePosixPath

import yaml

from .house import LOADER, House

IMPORT = "ansible.builtin.import_playbook"


def plays(house: House) -> dict[str, int]:
    """Plays of each playbook, with those of the playbooks that it imports. A template instead of a name counts as one play."""
    read = {house.name(path): yaml.load(path.read_text(), LOADER) or [] for path in house.files("playbooks/**/*.yml")}

    def count(name: str) -> int:
        folder = PurePosixPath(name).parent
        imported = (str(folder / each[IMPORT]) if IMPORT in each else "" for each in read[name])
        return sum(count(each) if each in read else 1 for each in imported)

    return {PurePosixPath(name).stem: count(name) for name in read if PurePosixPath(name).parent.name == "playbooks"}


def most_plays(house: House) -> int:
    """The maximum of ``plays``."""
    return max(plays(house).values(), default=0)
