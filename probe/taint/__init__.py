"""Dynamic taint tracking of a program's options, by rewriting its source as it is imported.

A taint is an int: bit n is set where option n may have had an influence. The rewritten program computes, beside every
value, the taint of that value, and beside its own control flow the taint of the decisions that led there;
`docs/explanation/white-box.md` says how, and what is not seen.

Rewriting: `instrument` lists which function rewrites which kind of node (modules `rewrite_...`), each of which gets the
`rewriter.Rewriter` of its module. Run time: rewritten code calls functions of `calls`, `values`, `stores`, `iteration`,
`generators`, `pending` and `blocks` with the `state.TaintState` of its thread; what is known of objects lies in `shadows`, calls of
known functions of others go through the summaries (`summarized`, `summaries`, `summary_...`).
"""
