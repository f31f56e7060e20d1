"""Real packages for `bench_steps`: what each is given to do, with two options of its own."""

from typing import NamedTuple


class Program(NamedTuple):
    """A release of a package, the body of `run(a, b, size)` with its imports, its two options, and what it needs besides."""

    release: str
    package: str
    options: tuple[str, str]
    body: str
    size: int
    requirements: tuple[str, ...] = ()


_MARKDOWN_TEXT = '''
TEXT = """
# A heading with *emphasis*

Some `code`, **strong words** and a [link](https://example.org/a "title"), and "quoted words" -- ~~gone~~.

- one
- two
    1. inner

> A quote that
> goes on.

| a | b |
|---|---|
| 1 | 2 |

```python
print("hello")
```
"""
'''
_SQL = '''
TEXT = """
select a.id, b.name, count(*) as n -- the number
from first as a inner join second b on a.id = b.id /* joined */
where a.id in (select id from third where x > 3 and y like 'a%') group by 1, 2 having n > 2 order by n desc;
"""
'''
_RST = '''
TEXT = """
A heading
=========

Some ``code``, **strong words** and a `link <https://example.org/>`_, and "quoted words" -- *gone*.

- one
- two

Another one
-----------

+-----+-----+
| a   | b   |
+-----+-----+
| 1   | 2   |
+-----+-----+

.. note:: Mind this.

"""
'''
_JS = '''
TEXT = """
function first(a, b) { if (a > b) { return a.map(x => x * 2).filter(y => y > 3); } else { for (var i = 0; i < 9; i++) { b += i; } }
var list = [1, 2, 3, {key: "value", other: /a+b/g}]; switch (b) { case 1: return `text ${a}`; default: throw new Error("none"); } }
"""
'''
_HTML = '''
TEXT = """<div class=b id=a><p>Some <b>strong <i>words</b></i><br><table><tr><td>1<td>2</table>
<ul><li>one<li>two</ul><script>var x = 1;</script><a href="x" title='y'>z</a>   and   blanks</div>
"""
'''

# The rules were made with these two.
OWN = {
    "markdown": Program(
        "markdown==3.11.3",
        "markdown",
        ("tables", "smarty"),
        f"""
import markdown
{_MARKDOWN_TEXT}
def run(a, b, size):
    return len(markdown.markdown(TEXT * size, extensions=["tables"] * a + ["smarty"] * b))
""",
        40,
    ),
    "sqlparse": Program(
        "sqlparse==0.6.1",
        "sqlparse",
        ("reindent", "strip_comments"),
        f"""
import sqlparse
{_SQL}
def run(a, b, size):
    return sum(len(sqlparse.format(TEXT, reindent=a, strip_comments=b)) for _ in range(size))
""",
        15,
    ),
}
# And judged with these.
OTHERS = {
    "mistune": Program(
        "mistune==3.4.0",
        "mistune",
        ("table", "strikethrough"),
        f"""
import mistune
{_MARKDOWN_TEXT}
def run(a, b, size):
    return len(mistune.create_markdown(plugins=["table"] * a + ["strikethrough"] * b)(TEXT * size))
""",
        80,
    ),
    "tabulate": Program(
        "tabulate==0.10.0",
        "tabulate",
        ("grid", "numalign"),
        """
from tabulate import tabulate
ROWS = [["word", 3.25, "several words", 12], ["x", 100.5, "", -7]]
def run(a, b, size):
    form, align = "grid" if a else "plain", "decimal" if b else None
    return len(tabulate(ROWS * size, headers=["a", "b", "c", "d"], tablefmt=form, numalign=align))
""",
        500,
    ),
    "jsbeautifier": Program(
        "jsbeautifier==2.0.3",
        "jsbeautifier",
        ("wrap", "space_in_paren"),
        f"""
import jsbeautifier
{_JS}
def run(a, b, size):
    options = jsbeautifier.default_options()
    options.wrap_line_length, options.space_in_paren = 60 if a else 0, b
    return len(jsbeautifier.beautify(TEXT * size, options))
""",
        15,
        ("six", "editorconfig"),
    ),
    "docutils": Program(
        "docutils==0.23",
        "docutils",
        ("smart_quotes", "section_numbering"),
        f"""
from docutils.core import publish_string
{_RST}
def run(a, b, size):
    settings = {{"smart_quotes": a, "sectnum_xform": b, "report_level": 5}}
    return len(publish_string(TEXT * size, writer="html", settings_overrides=settings))
""",
        10,
    ),
    "commonmark": Program(
        "commonmark==0.9.2",
        "commonmark",
        ("smart", "sourcepos"),
        f"""
import commonmark
{_MARKDOWN_TEXT}
def run(a, b, size):
    parser = commonmark.Parser(options={{"smart": a}})
    renderer = commonmark.HtmlRenderer({{"sourcepos": b}})
    return len(renderer.render(parser.parse(TEXT * size)))
""",
        50,
    ),
    "html5lib": Program(
        "html5lib==1.1",
        "html5lib",
        ("strip_whitespace", "sorted_attributes"),
        f"""
import html5lib
{_HTML}
def run(a, b, size):
    tree = html5lib.parse(TEXT * size)
    return len(html5lib.serialize(tree, strip_whitespace=a, alphabetical_attributes=b))
""",
        30,
        ("six", "webencodings"),
    ),
    "pygments": Program(
        "pygments==2.21.0",
        "pygments",
        ("linenos", "noclasses"),
        f"""
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import JavascriptLexer
{_JS}
def run(a, b, size):
    return len(highlight(TEXT * size, JavascriptLexer(), HtmlFormatter(linenos=a, noclasses=b)))
""",
        60,
    ),
}
# Which of the others, and how often: ten in all.
JUDGED = (
    "mistune",
    "mistune",
    "tabulate",
    "jsbeautifier",
    "jsbeautifier",
    "docutils",
    "docutils",
    "commonmark",
    "html5lib",
    "pygments",
)
