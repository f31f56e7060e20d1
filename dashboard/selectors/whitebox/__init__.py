"""White-box analyses of a system: which option reaches which region, by what chain, and the evidence against it."""
