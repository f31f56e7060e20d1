"""Runs subjects: their revisions, environments, configurations and executions, apart from everything of ours.

In order: `load_subject`, `open_state`, `list_revisions`, `configurations`, `plan`, `prepare`, and one `execute` for
every planned run, one at a time on a machine. Nothing here knows of a database or of Django.
"""
