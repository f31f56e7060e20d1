"""An import hook that rewrites the source of chosen packages before it is compiled."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from importlib.machinery import ExtensionFileLoader, PathFinder, SourceFileLoader, SourcelessFileLoader
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Any

    # Source, module name and path in, code out.
    Compile = Callable[[bytes, str, str], CodeType]
    # What surrounds the running of a module's code.
    Around = Callable[[], AbstractContextManager[object]]


# Modules that are as they were because there is no source or its rewriting failed, with the reason.
UNINSTRUMENTED: dict[str, str] = {}


# What reading a deep syntax tree may need; the compiler refuses deeper ones before that.
_DEEPEST = 20_000


@contextmanager
def room_to_rewrite() -> Iterator[None]:
    """Let a syntax tree be as deep as Python itself allows."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, compiled: Compile, around: Around) -> None:
        super().__init__(name, path)
        self._compiled = compiled
        self._around = around

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        with self._around():
            super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType:
        """Return the rewritten code; it is never read from the cache of imports nor written into it."""
        path = self.get_filename(fullname)
        source = self.get_data(path)
        try:
            with room_to_rewrite():
                return self._compiled(source, fullname, path)
        # Whatever is wrong with the rewriting must not end the program; what is wrong with the program ends it below.
        except Exception as error:  # noqa: BLE001
            why = repr(error)
        code: CodeType = self.source_to_code(source, path)
        UNINSTRUMENTED[fullname] = why
        return code


class RewritingHook:
    """Finds modules of `packages` (import names, dots allowed); `compiled` compiles them, `around` is where they run.

    A finder as `sys.meta_path` wants one. No `MetaPathFinder`: on Python 3.11 importing that takes some 10 ms of the start
    of each run, and leaves modules such as `random` and `tempfile` in the process of the program.
    """

    def __init__(self, packages: Sequence[str], compiled: Compile, around: Around = nullcontext) -> None:
        self._packages = tuple(packages)
        self._prefixes = tuple(f"{package}." for package in packages)
        self._compiled = compiled
        self._around = around

    def chosen(self, name: str) -> bool:
        """Whether the module called `name` is rewritten."""
        return name in self._packages or name.startswith(self._prefixes)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module is loaded, None if it is not one of ours or has no source."""
        if not self.chosen(fullname):
            return None
        spec: Any = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self._compiled, self._around)
        elif spec is not None and isinstance(spec.loader, (ExtensionFileLoader, SourcelessFileLoader)):
            UNINSTRUMENTED[fullname] = "compiled, without source"
        return spec  # type: ignore[no-any-return]

    def install(self) -> None:
        """Put this hook before all others; modules that are imported already stay as they are."""
        sys.meta_path.insert(0, self)
