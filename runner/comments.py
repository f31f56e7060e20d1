"""Source text without its comments: revisions that differ in nothing else run the same code."""

from __future__ import annotations

import io
import tokenize
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Error, String

if TYPE_CHECKING:
    from pygments.lexer import Lexer

PYTHON = frozenset({".py", ".pyi"})
# By the ending of a file, the language in which no comment tells a compiler or an interpreter anything.
LANGUAGES = {
    ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp",
    ".java": "java", ".kt": "kotlin", ".scala": "scala", ".cs": "csharp", ".rs": "rust", ".swift": "swift",
    ".js": "javascript", ".mjs": "javascript", ".ts": "typescript",
}  # fmt: skip
# In these a comment over several lines stands for a space, elsewhere for the end of a line too.
_FREE_FORM = frozenset({"c", "cpp", "java", "csharp", "rust"})
# Instructions to a preprocessor are kinds of comments to the lexers; these are comments to the language too.
_COMMENTS = frozenset({Comment, Comment.Single, Comment.Multiline})


def language(path: str) -> str:
    """Return the language of a file of which comments can be told, by its name; "" for every other one."""
    ending = PurePosixPath(path).suffix
    return "python" if ending in PYTHON else LANGUAGES.get(ending, "")


def without_comments(text: bytes, language: str) -> bytes:
    """Return what is left of a file in one of the languages without comments, blank lines and the width of spaces.

    Equal results are the same program to an interpreter or a compiler. A file with a fault is returned as it is.
    """
    try:
        return _python(text) if language == "python" else _lexed(text.decode("utf-8"), language)
    except (UnicodeDecodeError, SyntaxError, tokenize.TokenError, _Unreadable):
        return text


class _Unreadable(ValueError):
    """The lexer does not know what a part of the text is."""


def _python(text: bytes) -> bytes:
    parts = []
    for token in tokenize.tokenize(io.BytesIO(text).readline):
        if token.type == tokenize.ERRORTOKEN:
            raise _Unreadable
        if token.type not in {tokenize.COMMENT, tokenize.NL}:
            # How far a line is indented is as free as how it ends; that it is indented matters.
            is_layout = token.type in {tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE}
            parts.append(f"{token.type} {'' if is_layout else token.string}")
    return "\0".join(parts).encode()


@cache
def _lexer(language: str) -> Lexer:
    return get_lexer_by_name(language, stripnl=False, ensurenl=False)


def _lexed(text: str, language: str) -> bytes:
    parts: list[str] = []
    space = ""
    for kind, word in _lexer(language).get_tokens(text):
        if kind is Error:
            raise _Unreadable
        # The line of an instruction to a preprocessor ends before a comment.
        kept = word.rstrip(" \t") if kind in Comment.Preproc else word
        if kind in _COMMENTS or (kept.strip() == "" and kind not in String):
            ends = "\n" in word and (kind is not Comment.Multiline or language not in _FREE_FORM)
            space = "\n" if ends or space == "\n" else " "
            continue
        if parts and space:
            parts.append(space)
        parts.append(kept)
        space = " " if kept != word else ""
    return "".join(parts).encode()
