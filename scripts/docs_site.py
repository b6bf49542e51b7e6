#!/usr/bin/env python3
"""Lays out the documentation site's pages in build/docs-source: README, docs/, the notebooks as pages, and the API of C (from
the headers) and of Python (from the stubs). `make docs` then runs mkdocs on them.

    scripts/docs_site.py            lay the pages out
    scripts/docs_site.py --finish   let the built site, build/site, ask no foreign host
"""

from __future__ import annotations

import ast
import base64
import hashlib
import io
import json
import re
import shutil
import sys
import tarfile
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "docs-source"


def convert_output(output: dict[str, Any], name: str, folder: Path) -> str:
    """What a cell gave: text, or a picture as a file of its own."""
    data = output.get("data", {})
    if "image/png" in data:
        (folder / f"{name}.png").write_bytes(base64.b64decode("".join(data["image/png"])))
        return f"![What the cell draws]({name}.png)"
    if "".join(data.get("text/html", "")).startswith("<svg"):
        (folder / f"{name}.svg").write_text("".join(data["text/html"]))
        return f"![What the cell draws]({name}.svg)"
    text = "".join(output.get("text", data.get("text/plain", ""))).rstrip("\n")
    return f"```text\n{text}\n```" if text else ""


def convert_notebook(path: Path, folder: Path) -> str:
    """The page; its pictures go into the folder."""
    parts = []
    for number, cell in enumerate(json.loads(path.read_text())["cells"]):
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        parts += [convert_output(output, f"{path.stem}_{number}_{k}", folder) for k, output in enumerate(cell.get("outputs", []))]
    return "\n\n".join(parts) + f"\n\nThis is `docs/notebooks/{path.name}`; the tests run it.\n"


def convert_header(path: Path) -> str:
    """A header as a page: its opening comment as text, sections as headings, the rest as code."""
    text = path.read_text()
    opening, _, rest = text.partition("#ifndef ")
    lead = "\n".join(line[2:].removeprefix(" ") for line in opening.splitlines())
    lead = re.sub(r"\n(?:    .*\n|\n)+", lambda m: "\n\n```c\n" + m.group(0).strip("\n") + "\n```\n\n" if "    " in m.group(0) else m.group(0), lead + "\n")
    rest = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", rest.partition("\n")[2], flags=re.DOTALL)
    rest = re.sub(r"\n#endif\n*$", "\n", rest)
    page = [f"# pbdr/{path.relative_to(ROOT / 'include' / 'pbdr').as_posix()}", lead]
    for k, section in enumerate(re.split(r"^// --- (.*?) ---\n", rest, flags=re.MULTILINE)):
        page.append(f"## {section}" if k % 2 else f"```c\n{section.strip()}\n```" if section.strip() else "")
    return "\n\n".join(page) + "\n"


def describe(node: ast.AST, depth: int) -> list[str]:
    """A class or function of the stubs."""
    if isinstance(node, ast.ClassDef):
        lines = [f"{'#' * depth} {node.name}", ast.get_docstring(node) or ""]
        for item in node.body:
            lines += describe(item, depth + 1)
        return lines
    if isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name == "__init__"):
        decorators = [ast.unparse(d) for d in node.decorator_list]
        if any(d.endswith(".setter") for d in decorators):
            return []
        arguments = ast.unparse(node.args)
        result = ast.unparse(node.returns) if node.returns else ""
        head = f"{node.name}: {result}" if "property" in decorators else f"{node.name}({arguments}) -> {result}"
        doc = (ast.get_docstring(node) or "").replace("\n", " ")
        return [f"{'#' * depth} {node.name}", f"```python\n{head}\n```", doc]
    return []


def describe_module(path: Path, title: str, depth: int = 2) -> str:
    tree = ast.parse(path.read_text())
    lines = [f"# {title}", ast.get_docstring(tree) or ""] if depth == 2 else []
    for node in tree.body:
        if not getattr(node, "name", "_").startswith("_"):
            lines += describe(node, depth)
    return "\n\n".join(line for line in lines if line) + "\n"


def mend_links(text: str, page: Path) -> str:
    """Links to what is no page become plain text; notebooks are pages."""
    def mend(match: re.Match[str]) -> str:
        label, target = match.group(1), match.group(2)
        if re.match(r"[a-z]+:|#", target):
            return match.group(0)
        path, _, anchor = target.partition("#")
        path = re.sub(r"\.ipynb$", ".md", path)
        if path.endswith("include/pbdr/batch.h"):
            path = "api/c/batch.md"
        exists = (page.parent / path).exists()
        return f"[{label}]({path}{'#' + anchor if anchor else ''})" if exists else label

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", mend, text)


def mend_html(text: str, page: Path) -> str:
    """Links of a page that is HTML already (the leaderboard), also those within its data: pages of Markdown have become HTML."""
    def mend(match: re.Match[str]) -> str:
        start, target, anchor = match.groups(default="")
        source = (ROOT / "docs" / page.relative_to(OUT)).parent.joinpath(target).resolve()
        if source == ROOT / "README.md":
            target = "../" * len(page.relative_to(OUT).parent.parts) + "index.md"
        elif source == ROOT / "docs" / "README.md":
            target = target.replace("README.md", "pages.md")
        return f"{start}{target.removesuffix('.md')}.html{anchor}"

    return re.sub(r'((?:href=|"home":)")((?![a-z]+:)[^"#{}]+\.md)(#[^"]*)?(?=")', mend, text)


def write_settings() -> None:
    """build/mkdocs.yml: the settings with folders of the navigation as lists of their pages."""
    def expand(match: re.Match[str]) -> str:
        indent, label, folder = match.groups()
        pages = sorted(path.relative_to(OUT).as_posix() for path in (OUT / folder).glob("*.md"))
        pages.sort(key=lambda page: not page.endswith("index.md"))
        return f"{indent}- {label}:\n" + "".join(f"{indent}    - {page}\n" for page in pages)

    text = re.sub(r"^( +)- (\w+): (\w[\w/]*)/\n", expand, (ROOT / "mkdocs.yml").read_text(), flags=re.MULTILINE)
    text = text.replace("docs_dir: build/", "docs_dir: ").replace("site_dir: build/", "site_dir: ")
    (ROOT / "build" / "mkdocs.yml").write_text(text)


# What lets the search run in a page that is opened as a file. mkdocs-material has every page fetch it from a foreign host.
SHIM_URL = "https://registry.npmjs.org/iframe-worker/-/iframe-worker-1.0.4.tgz"
SHIM_SHA256 = "e8c5d12d87829c503afba01d67772ea9f4aba5b7ae57a0c98e1917711030efbb"
SHIM = Path("assets") / "javascripts" / "iframe-worker.js"
SITE = ROOT / "build" / "site"
OFFLINE = 77  # exit code


def fetch_shim() -> bytes:
    """The script, out of its package of npm; kept in build/."""
    kept = ROOT / "build" / "iframe-worker.tgz"
    if not kept.exists():
        with urllib.request.urlopen(SHIM_URL, timeout=20) as answer:
            kept.write_bytes(answer.read())
    package = kept.read_bytes()
    got = hashlib.sha256(package).hexdigest()
    if got != SHIM_SHA256:
        kept.unlink()
        sys.exit(f"docs: {SHIM_URL} is refused: its sha256 is {got}, and scripts/docs_site.py wants {SHIM_SHA256}")
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        member = archive.extractfile("package/shim/index.js")
        assert member is not None
        return member.read()


def finish() -> None:
    """Gives the shim to the pages. Addresses in the theme's script are of what these pages do not use: diagrams, repositories."""
    try:
        shim = fetch_shim()
    except OSError as problem:
        print(f"docs: {SHIM_URL} cannot be fetched (offline?): {problem}", file=sys.stderr)
        sys.exit(OFFLINE)
    (SITE / SHIM).write_bytes(shim)
    for page in SITE.rglob("*.html"):
        here = "../" * len(page.relative_to(SITE).parent.parts)
        text = page.read_text()
        page.write_text(re.sub(r'"https://unpkg\.com/iframe-worker/shim"', f'"{here}{SHIM.as_posix()}"', text))
    for script in SITE.rglob("bundle.*.js"):
        script.write_text(re.sub(r"https://(?:unpkg\.com|api\.github\.com)/", "data:,", script.read_text()))


def main() -> None:
    if sys.argv[1:] == ["--finish"]:
        finish()
        return
    shutil.rmtree(OUT, ignore_errors=True)
    shutil.copytree(ROOT / "docs", OUT, ignore=shutil.ignore_patterns("*.ipynb"))
    (OUT / "README.md").rename(OUT / "pages.md")
    readme = (ROOT / "README.md").read_text().replace("](docs/README.md", "](pages.md").replace("](docs/", "](")
    (OUT / "index.md").write_text(readme)
    (OUT / "changelog.md").write_text((ROOT / "CHANGELOG.md").read_text())
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        (OUT / "notebooks" / notebook.name).with_suffix(".md").parent.mkdir(parents=True, exist_ok=True)
        (OUT / "notebooks" / notebook.name).with_suffix(".md").write_text(convert_notebook(notebook, OUT / "notebooks"))
    (OUT / "api" / "c").mkdir(parents=True)
    headers = sorted((ROOT / "include" / "pbdr").rglob("*.h"))
    for header in headers:
        (OUT / "api" / "c" / header.with_suffix(".md").name).write_text(convert_header(header))
    package = ROOT / "python" / "pbdr"
    (OUT / "api" / "python.md").write_text(describe_module(package / "_core.pyi", "pbdr: the Python API"))
    for name, file in (("bench", "bench/__init__.py"), ("engine", "bench/_engine.py"), ("gym", "gym.py"), ("plot", "plot.py"),
                       ("errors", "errors.py"), ("load", "_load.py")):
        (OUT / "api" / f"python_{name}.md").write_text(describe_module(package / file, f"pbdr.{name}"))
    for page in OUT.rglob("*.md"):
        page.write_text(mend_links(page.read_text(), page))
    for page in OUT.rglob("*.html"):
        page.write_text(mend_html(page.read_text(), page))
    write_settings()


if __name__ == "__main__":
    main()
