"""Options: all of them by what they cost, and a page for each one."""
