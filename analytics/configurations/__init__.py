"""Options, formulas over them, partitions of the configuration space, and covers."""
