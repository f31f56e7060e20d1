"""Perfatlas: the Django project and its one application."""

__version__ = "0.1.0"
