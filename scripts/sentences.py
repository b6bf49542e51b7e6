#!/usr/bin/env python3
"""Sentences of the pages and public headers: draws some at random for a reader to judge, and finds those that are too long.

    scripts/sentences.py [--count 100] [--seed 26]     draws from README.md, docs/ and include/pbdr/: file, line, sentence
    scripts/sentences.py --longer-than 35 PAGE...      prints the sentences of these pages with more words, and their number
    scripts/sentences.py --columns 7 PAGE...           prints the tables of these pages that have more columns

Read are paragraphs, points of lists and comments. Left out are code, tables and headings. A word is what has a letter or a
digit between spaces. A sentence ends with a full stop, a question mark or an exclamation mark, or with its paragraph.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SEED = 26
ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "cf.", "vs.", "Fig.", "Eq.", "al.", "A.", "N.", "J.", "G.")


class Sentence(NamedTuple):
    file: str
    line: int
    text: str

    @property
    def words(self) -> int:
        return sum(any(c.isalnum() for c in word) for word in self.text.split())


def split_paragraph(file: str, lines: list[tuple[int, str]]) -> list[Sentence]:
    """The sentences of a paragraph, each with the line on which it begins."""
    words = [(number, word) for number, line in lines for word in line.split()]
    sentences, start = [], 0
    for k, (_, word) in enumerate(words):
        bare = word.rstrip("*_)\"'`]")
        last = k + 1 == len(words)
        ends = bare.endswith((".", "?", "!")) and not bare.endswith("..") and bare not in ABBREVIATIONS
        if last or ends:
            text = " ".join(w for _, w in words[start:k + 1])
            sentences.append(Sentence(file, words[start][0], text))
            start = k + 1
    return sentences


def read_page(path: Path) -> list[Sentence]:
    """Sentences of a page in Markdown."""
    sentences: list[Sentence] = []
    paragraph: list[tuple[int, str]] = []
    fenced = False

    def flush() -> None:
        sentences.extend(split_paragraph(name(path), paragraph))
        paragraph.clear()

    for number, line in enumerate(path.read_text().splitlines(), 1):
        bare = line.strip()
        if bare.startswith("```"):
            fenced = not fenced
            flush()
        elif fenced:
            continue
        elif not bare or bare.startswith(("|", "#", "<!--", "![")):
            flush()
        else:
            point = re.match(r"([-*]|\d+\.) +(.*)", bare)
            if point:
                flush()
                bare = point.group(2)
            paragraph.append((number, re.sub(r"\]\([^)]*\)", "]", bare)))
    flush()
    return sentences


def read_header(path: Path) -> list[Sentence]:
    """Sentences of the comments of a header: those on lines of their own, and those behind code."""
    sentences: list[Sentence] = []
    paragraph: list[tuple[int, str]] = []

    def flush() -> None:
        sentences.extend(split_paragraph(name(path), paragraph))
        paragraph.clear()

    for number, line in enumerate(path.read_text().splitlines(), 1):
        code, mark, comment = line.partition("//")
        if not mark or comment.startswith(" ---") or comment.startswith("    "):
            flush()
            continue
        if code.strip():
            flush()
        if comment.strip():
            paragraph.append((number, comment.strip()))
        else:
            flush()
    flush()
    return sentences


def name(path: Path) -> str:
    path = path.resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def list_sources() -> list[Path]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = [page for page in pages if page != ROOT / "docs" / "project" / "sentences.md"]
    return pages + sorted((ROOT / "include" / "pbdr").rglob("*.h"))


def read(path: Path) -> list[Sentence]:
    return read_header(path) if path.suffix == ".h" else read_page(path)


def draw(count: int, seed: int) -> list[Sentence]:
    """As many sentences of at least four words, each as likely as any other; in the order of the files."""
    everything = [sentence for path in list_sources() for sentence in read(path) if sentence.words >= 4]
    chosen = random.Random(seed).sample(range(len(everything)), min(count, len(everything)))
    return [everything[k] for k in sorted(chosen)]


def find_wide_tables(path: Path, columns: int) -> list[str]:
    """The first line of every table that has more columns."""
    wide, within, fenced = [], False, False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fenced ^= line.strip().startswith("```")
        is_row = line.startswith("|") and not fenced
        if is_row and not within:
            count = len(re.findall(r"(?<!\\)\|", line)) - 1
            if count > columns:
                wide.append(f"{name(path)}:{number}: {count} columns")
        within = is_row
    return wide


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--longer-than", type=int, metavar="WORDS")
    parser.add_argument("--columns", type=int, metavar="N")
    parser.add_argument("pages", nargs="*", type=Path)
    arguments = parser.parse_args()
    if arguments.longer_than is not None:
        for page in arguments.pages:
            for sentence in read(page):
                if sentence.words > arguments.longer_than:
                    print(f"{sentence.file}:{sentence.line}: {sentence.words} words: {sentence.text}")
    elif arguments.columns is not None:
        for page in arguments.pages:
            print("\n".join(find_wide_tables(page, arguments.columns)), end="")
    else:
        for sentence in draw(arguments.count, arguments.seed):
            print(f"{sentence.file}:{sentence.line}: {sentence.text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
