#!/usr/bin/env python3
"""Finds what pages would fetch from a foreign host while they are read: sources, styles, fonts, frames, and addresses in scripts.

    scripts/foreign_hosts.py FILE|FOLDER...

Reads .html, .css, .js, .mjs, .ts and .svg. Links that a reader clicks (href of a) are fine. In a script every address of the
web that a string begins with counts, whatever it is used for: minified code does not tell. Scripts that pages of web/build.mjs
hold packed (gzip, in base 85) are unpacked first. Prints a line for each find; exit code 1 if there is one.
"""

from __future__ import annotations

import re
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path

FOREIGN = re.compile(r"\s*(?:(?:https?|wss?|ftp):)?//[^/\s]", re.IGNORECASE)
LOADED = {"src", "srcset", "poster", "data", "background", "xlink:href", "manifest"}
# Relations of link elements that no browser follows by itself.
CLICKED = {"alternate", "author", "bookmark", "canonical", "edit", "help", "license", "next", "prev", "search"}
IN_CSS = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])\s*((?:(?:https?|wss?):)?//[^"')\s]+)""", re.IGNORECASE)
IN_SCRIPT = re.compile(r"""["'`]((?:https?|wss?)://([\w.-]+)[^"'`\s]*)""", re.IGNORECASE)
# Names and not addresses: nobody asks these hosts for anything.
NAMES = {"www.w3.org"}
DIGITS = [chr(c) for c in range(33, 127) if chr(c) not in "<>&\"'\\`"][:85]
SUFFIXES = {".html", ".css", ".js", ".mjs", ".ts", ".svg"}


def find_in_css(text: str) -> list[str]:
    return [f"style: {address}" for address in IN_CSS.findall(text)]


def find_in_script(text: str) -> list[str]:
    return [f"script: {address}" for address, host in IN_SCRIPT.findall(text) if host.lower() not in NAMES]


def unpack(text: str) -> str:
    """A script out of base 85 and gzip (encode of web/build.mjs); "" for what is no text, such as an engine."""
    value_of = {digit: value for value, digit in enumerate(DIGITS)}
    packed = bytearray()
    for at in range(0, len(text), 5):
        group = text[at:at + 5]
        value = 0
        for k in range(5):
            value = 85 * value + (value_of.get(group[k], 84) if k < len(group) else 84)
        packed += value.to_bytes(5, "big")[1:][:max(0, len(group) - 1)]
    try:
        return zlib.decompressobj(31).decompress(bytes(packed)).decode()
    except (zlib.error, UnicodeDecodeError):
        return ""


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.inside: tuple[str, dict[str, str]] | None = None
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        for name, value in values.items():
            loads = name in LOADED or (name == "href" and tag in ("use", "image", "feimage", "script"))
            if name == "href" and tag == "link":
                loads = not set(values.get("rel", "").lower().split()) <= CLICKED or "rel" not in values
            if name == "href" and tag == "base":
                loads = True
            parts = value.split(",") if name == "srcset" else [value]
            if loads and any(FOREIGN.match(part) for part in parts):
                self.found.append(f"{tag} {name}: {value}")
            if name == "style":
                self.found += find_in_css(value)
            if name.startswith("on"):
                self.found += find_in_script(value)
        if tag == "meta" and values.get("http-equiv", "").lower() == "refresh" and "//" in values.get("content", ""):
            self.found.append(f"meta refresh: {values['content']}")
        if tag in ("script", "style"):
            self.inside, self.text = (tag, values), []

    def handle_data(self, data: str) -> None:
        if self.inside is not None:
            self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self.inside is None or self.inside[0] != tag:
            return
        text, kind = "".join(self.text), self.inside[1].get("type", "").lower()
        if tag == "style":
            self.found += find_in_css(text)
        elif kind in ("", "module", "text/javascript", "application/javascript"):
            self.found += find_in_script(text)
        elif kind == "text/plain":
            unpacked = unpack(text)
            self.found += find_in_script(unpacked) + find_in_css(unpacked)
        self.inside = None


def find(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix in (".html", ".svg"):
        page = Page()
        page.feed(text)
        page.close()
        return page.found
    return find_in_css(text) if path.suffix == ".css" else find_in_script(text)


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    files: list[Path] = []
    for name in arguments:
        path = Path(name)
        if not path.exists():
            print(f"foreign_hosts: {name}: no such file or folder", file=sys.stderr)
            return 2
        files += sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES) if path.is_dir() else [path]
    finds = [f"{path}: {what}" for path in files for what in dict.fromkeys(find(path))]
    print("\n".join(finds) if finds else f"{len(files)} files ask no foreign host")
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
