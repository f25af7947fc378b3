"""Links and names in the documents lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
PATTERNS = ("README.md", "docs/**/*.md", "roles/*/README.md", "benchmarks/README.md")
PAGES = [page for pattern in PATTERNS for page in sorted(ROOT.glob(pattern))]


def slug(heading: str) -> str:
    """GitHub's name of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if target.startswith(("https://", "http://")):
            continue
        path, _text, anchor = target.partition("#")
        found = (page.parent / path) if path else page
        assert found.exists(), target
        if anchor:
            assert anchor in [slug(heading) for heading in re.findall(r"^#+ (.*)$", found.read_text(), re.M)], target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_role_variables_exist(page: Path):
    known = set()
    for defaults in ROOT.glob("roles/*/defaults/main.yml"):
        known |= set(yaml.safe_load(defaults.read_text()))
    for specs in ROOT.glob("roles/*/meta/argument_specs.yml"):
        known |= set(yaml.safe_load(specs.read_text())["argument_specs"]["main"]["options"])
    named = set(re.findall(r"`((?:login_nodes|login_balancer)_[a-z_]+)", page.read_text()))
    assert named - known == set()
