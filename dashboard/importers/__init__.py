"""Importers: one pure module or package per format turns files into records; `registry` lists them."""
