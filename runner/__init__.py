"""Runs subjects: their revisions, environments, configurations and executions, apart from everything of ours.

In order: `load_subject`, `open_state`, `list_revisions`, `configurations`, `plan`, `prepare`, and under the
`measuring_lock` one `execute` for every planned run. Nothing here knows of a database or of Django.
"""
