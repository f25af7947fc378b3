"""Links and names in the documents exist, and each page can be reached from the README."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
LISTED = subprocess.run(
    ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
    check=True,
    stdout=subprocess.PIPE,
    text=True,
).stdout
PAGES = [page for name in sorted(filter(None, LISTED.split("\0"))) if (page := ROOT / name).exists()]
START = ROOT / "README.md"


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def slug(heading: str) -> str:
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def links(page: Path) -> list[tuple[Path, str]]:
    """File and anchor of each link to this repository."""
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", page.read_text()) if not target.startswith(("https://", "http://"))]
    parts = [target.partition("#") for target in targets]
    return [((page.parent / path).resolve() if path else page, anchor) for path, _hash, anchor in parts]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_targets_of_links_exist(page: Path):
    for found, anchor in links(page):
        assert found.exists(), found
        if anchor:
            assert anchor in [slug(heading) for heading in re.findall(r"^#+ (.*)$", found.read_text(), re.M)], (found, anchor)


def test_links_of_the_docs_site_to_this_repository_exist():
    texts = [path.read_text() for path in (ROOT / "docs/docsite").rglob("*") if path.is_file()]
    paths = [path for text in texts for path in re.findall(r"github\.com/mlfleet/mlfleet\.hyperpod/blob/main/([^>\s]+)", text)]
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path).is_file()] == []


def test_each_page_can_be_reached_from_the_readme():
    """Links over any number of pages count."""
    seen, waiting = set(), [START]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        waiting += [found for found, _anchor in links(page) if found.suffix == ".md" and found.is_file()]
    assert len(PAGES) > 30
    assert [named(page) for page in PAGES if page not in seen] == []


@pytest.mark.parametrize("page", [ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/design/*.md"))], ids=named)
def test_paths_in_pages_for_engineers_exist(page: Path):
    """Paths with a word in capitals are placeholders and are excluded."""
    folders = "|".join(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith("."))
    paths = re.findall(rf"`((?:{folders})/[^`\s]+)`", page.read_text())
    assert [path for path in paths if not re.search(r"(^|/|_)[A-Z]+(/|\.|$)", path) and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_names_of_pages_are_in_kebab_case(page: Path):
    assert page.stem in ("README", "CONTRIBUTING") or re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", page.stem)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_role_variables_exist(page: Path):
    known = set()
    for defaults in ROOT.glob("roles/*/defaults/main.yml"):
        known |= set(yaml.safe_load(defaults.read_text()))
    for specs in ROOT.glob("roles/*/meta/argument_specs.yml"):
        entries = yaml.safe_load(specs.read_text())["argument_specs"].values()
        known |= {name for entry in entries for name in entry["options"]}
    named_variables = set(re.findall(r"`((?:login_nodes|login_balancer|host_keys|accounts)_[a-z_]+)", page.read_text()))
    assert named_variables - known == set()
