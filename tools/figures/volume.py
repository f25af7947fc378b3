"""Lines of files by kind."""

from __future__ import annotations

from .house import House

KINDS = {
    "plugins, Python": ("plugins/**/*.py",),
    "plugins, YAML": ("plugins/**/*.yml",),
    "roles and playbooks, YAML": ("roles/**/*.yml", "playbooks/**/*.yml"),
    "tests/unit": ("tests/unit/**/*.py",),
    "tests/lab": ("tests/lab/**/*.py",),
    "other tests, Python": ("tests/**/*.py",),
    "tests, YAML": ("tests/**/*.yml",),
    "tools and benchmarks, Python": ("tools/**/*.py", "benchmarks/**/*.py"),
    "docs": ("*.md", "docs/**/*.md"),
    "READMEs of roles, generated": ("roles/*/README.md",),
}


def lines(house: House) -> dict[str, int]:
    """Lines of files by kind, with empty lines and comments. A file counts for the first matching kind."""
    left = dict.fromkeys(KINDS, 0)
    counted = set()
    for kind, patterns in KINDS.items():
        for path in house.files(*patterns):
            if path not in counted:
                counted.add(path)
                left[kind] += path.read_bytes().count(b"\n")
    return {**left, "all": sum(left.values())}
