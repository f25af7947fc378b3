"""Run all linters of the collection, and fail if one of them failed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent
CHECKS = (
    ("ruff", "check", "--quiet", "--no-cache"),
    ("mypy", "--no-error-summary"),
    ("ansible-lint", "--offline", "--profile", "production", "-q"),
    ("antsibull-changelog", "lint"),
    (
        "antsibull-docs",
        "lint-collection-docs",
        "--plugin-docs",
        "--validate-collection-refs=dependent",
        "--disallow-unknown-collection-refs",
        ".",
    ),
    (sys.executable, "tools/role_docs.py", "--check"),
    (sys.executable, "tools/variable_docs.py", "--check"),
    (sys.executable, "tools/run_state_docs.py", "--check"),
    (sys.executable, "tools/finding_docs.py", "--check"),
    (sys.executable, "tools/verb_docs.py", "--check"),
)


def name(check: tuple[str, ...]) -> str:
    return check[1] if check[0] == sys.executable else check[0]


def main() -> int:
    tree = os.environ["COLLECTION_TREE"]
    environment = {
        **os.environ,
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "ANSIBLE_COLLECTIONS_PATH": tree,
        # antsibull-docs copies tracked files only; without this, git would ignore the collections that we depend on.
        "GIT_CEILING_DIRECTORIES": str(Path(tree, "ansible_collections", "amazon").resolve().parent),
    }
    failed = [name(check) for check in CHECKS if subprocess.run(check, env=environment, check=False).returncode]
    print(f"lint: {', '.join(failed)} failed" if failed else "lint: clean")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
