"""Dynamic taint tracking of a program's options, by rewriting its source as it is imported.

A taint is an int: bit n is set where option n may have had a say. The rewritten program computes, beside every value,
the taint of that value, and beside its own control flow the taint of the decisions that led there; `docs/explanation/
white-box.md` says how, and what is not seen. `rewriter` holds the compile-time half, `state` the run-time half.
"""
