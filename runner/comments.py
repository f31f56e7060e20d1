"""Source text without its comments: revisions that differ in nothing else run the same code."""

import io
import re
import tokenize
from pathlib import PurePosixPath

# By the ending of a file, the language in which no comment tells a compiler or an interpreter anything. In others, what
# starts a comment may stand in a pattern or in code inside of a text: telling those apart takes a parser of each.
LANGUAGES = {
    ".py": "python", ".pyi": "python", ".c": "c", ".h": "cpp", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp",
    ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp", ".java": "java",
}  # fmt: skip
# A raw string of C++ ends with the mark that it began with.
_START = r'(?:u8|[uUL])?R"'
_RAW = rf'{_START}(?P<mark>[^()\\\s]{{0,16}})\(.*?\)(?P=mark)"'
_BLOCK = r'"""[ \t\f]*\r?\n(?:\\.|[^\\])*?"""'
# The words of a language; a quote or another start that nothing ends is `open`.
_WORDS = r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<space>[ \t\r\n\f\v]+)
    |{text}
    |(?P<open>{start})
    |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'
    |[^\W\d]\w*|\d(?:[eEpP][+-]|'\w|[\w.])*
    |\\\r?\n
    |(?P<stray>["']|/\*|\\(?![uU]))
    |[^\w\s"'/\\]+|.
"""


def _words(text: str, start: str) -> re.Pattern[str]:
    return re.compile(_WORDS.format(text=text, start=start), re.VERBOSE | re.DOTALL)


_NATIVE = _words(_RAW, _START)
_READERS = {"c": _NATIVE, "cpp": _NATIVE, "java": _words(_BLOCK, '"""')}
# Signs written as others, signs that go on in the next line, names of files that look like comments, and what is the end
# of a string or the start of a raw one.
_NATIVE_DOUBT = rf"\?\?[/']|[/*R]\\\r?\n|(?:include|import|embed)[^\n]*<[^>\n]*/[/*]|[\"']{_START}"
_DOUBTS = {
    # The oldest C divides in a//**/b; not each one knows raw strings, and 1'000.
    "c": re.compile(rf"{_NATIVE_DOUBT}|//\*|\b{_START}|\b\d[\w.]*'"),
    "cpp": re.compile(_NATIVE_DOUBT),
    "java": re.compile(r"\\u+00[0-7]"),
}


def language(path: str) -> str:
    """Return the language of a file whose comments can be recognised, by its name; "" for every other one."""
    return LANGUAGES.get(PurePosixPath(path).suffix, "")


def without_comments(text: bytes, language: str) -> bytes:
    """Return what is left of a file in one of the languages without comments, blank lines and the width of spaces.

    Equal results are the same program to an interpreter or a compiler, but for the numbers of its lines. A file with a
    fault, or one in which something may be a comment or not, is returned as it is.
    """
    # What ends a line to one reader does not to another, and a byte order mark takes a column or does not.
    if re.search(rb"\r(?!\n)|^\xef\xbb\xbf", text):
        return text
    try:
        return _python(text) if language == "python" else _native(text.decode("utf-8"), language)
    except (UnicodeDecodeError, SyntaxError, tokenize.TokenError, _Unreadable):
        return text


class _Unreadable(ValueError):
    """A part of the text may be a comment or not."""


def _python(text: bytes) -> bytes:
    parts: list[str] = []
    tokens = list(tokenize.tokenize(io.BytesIO(text).readline))
    lines = text.decode(tokens[0].string).split("\n")
    formatted: list[tuple[int, int]] = []
    for token in tokens:
        name = tokenize.tok_name[token.type]
        if name == "ERRORTOKEN":
            raise _Unreadable
        # From Python 3.12 on a formatted string is several tokens, and the spaces in its braces are in none.
        if name.endswith("STRING_START"):
            formatted.append(token.start)
        elif name.endswith("STRING_END"):
            start = formatted.pop()
            if not formatted:
                some = lines[start[0] - 1 : token.end[0]]
                some[-1] = some[-1][: token.end[1]]
                some[0] = some[0][start[1] :]
                parts.append("\n".join(some))
            continue
        # Nothing hangs on a comment or an empty line; a first line may name the interpreter.
        is_shebang = token.start == (1, 0) and token.string.startswith("#!")
        is_free = token.type in {tokenize.COMMENT, tokenize.NL} and not is_shebang
        if not formatted and not is_free:
            # How far a line is indented is as free as how it ends; that it is indented matters.
            is_layout = name in {"INDENT", "DEDENT", "NEWLINE"}
            parts.append(f"{token.type} {'' if is_layout else token.string}")
    return "\0".join(parts).encode()


def _native(text: str, language: str) -> bytes:
    if _DOUBTS[language].search(text):
        raise _Unreadable
    parts: list[str] = []
    space = ""
    for found in _READERS[language].finditer(text):
        word, kind = found[0], found.lastgroup
        # A backslash at the end of a line makes it go on in the next, also that of a comment.
        if kind in {"open", "stray"} or (kind == "comment" and word.rstrip().endswith("\\")):
            raise _Unreadable
        if kind in {"comment", "space"}:
            # A comment over several lines stands for a space.
            space = "\n" if space == "\n" or (kind == "space" and "\n" in word) else " "
            continue
        if parts and space:
            parts.append(space)
        parts.append(word)
        space = ""
    return "".join(parts).encode()
