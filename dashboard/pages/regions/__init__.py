"""Code regions: the table of all and the source of one."""
