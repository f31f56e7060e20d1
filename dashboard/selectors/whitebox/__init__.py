"""White-box analyses of a system: which option reaches which region, by what chain, and what counts say of it."""
