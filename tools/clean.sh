#!/bin/sh
# `make clean`: the virtual environment and caches; var/ holds data, so it goes only when a person says so.
set -eu
rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .benchmarks
find . -name __pycache__ -type d -prune -exec rm -rf {} +
[ -d var ] || exit 0
answer=no
if [ -t 0 ]; then
  printf 'Remove var/ with its database too? [y/N] '
  read -r answer
fi
case "$answer" in
  y | yes) rm -rf var ;;
  *) echo "var/ was kept." ;;
esac
