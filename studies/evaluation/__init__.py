"""Models of one program judged at equal budgets: disjoint test sets, several seeds, every row told."""
