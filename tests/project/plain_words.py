"""Words of names that every programmer knows; what has a meaning of its own here stands in the glossary."""

_WORDS = """
accuracy active address admin agreement amounts analyses analytics analyze analyzing and app assignments
asv attempts audit band bar begin bisect bisecting bisection black blocks broker brownian brute built
builtins bulk busy call callback cancelled celery cell changed changepoints channel checks child chips
choice choosing chosen clock coefficient command comments common compare compared comparing completed
completes components composed comprehensions comprex condition config conflicts conqueror containers
contents correction cost counter counting csv cubes cusum dash dashboard decided declaration definition
delete deleting demo dense description design detail detection diagrams dialect difference digests
disagreement disk display draft driver durations edge effort element empty ending entry error evaluate
events evidence exact excursion execution executor explained exploration export exporting extensions
failed failure field figure file filter findings fit fitted folder folding forbidden force form found
frame freezing frozen function gaps git given gone gpy grid guess guessing heartbeat held hit home hook
hotspots hyperparameters hyperposterior identity ids import imported importer importing impossible
incomplete index inputs inserter inserts install instants instrument intended interpreter interrupted
intervals invalid isolation item iteration iterator joining json kaltenecker key kind lasso layout
learning lease least lens limited limits line linear link list literal loaded loading located location
lock login loop lost management many mapped matern measure membership mention menus metadata mismatch
module moebius name named no nodes noise not nothing number open operation or ordered outcome over
overhead overlapping overview packed page palette paper parameters part partitioned path paused pending
performance permission pip place planned playing policy polynomials position posterior prediction
prepared presence preview probe problems process products profile progress projections propagation
proposal protocol published quantity query queueing random reading readme reap reaping reason recursion
refers refinement refused register registry relaxed release repetition replay replayed report repository
reproduce reproduced reproduction request reset result resumable returned rewrite rewriter rewriting
robust routes row rule runner running sample sampled sampler scale scope scoring search section seeds
selected selection selftime sender serve server services serving set setting share signature site solver
solving space span sparkline spl split spool spread squares stack standard start statement status step
stepwise stop stopping store stored storing suggestion suite summarized supervisor sweeping syntax
synthetic table tainted taken targets tasks tef template test text theme thread timer timing token too
trace tracing track tracked transport tree truth unavailable unbuildable uncertainty unconstrained
undecided units unknown unprepared unreadable unseen unsound upload urls valid validity value view
violation walk watch waterfall web weighing weight whitebox wide without words writing wsgi xml
"""
PLAIN_WORDS = frozenset(_WORDS.split())
