"""Words of names that every programmer knows; what has a meaning of its own here stands in the glossary."""

_WORDS = """
accuracy active address admin agreement allowance amounts analyses analytics analyze analyzing answer app application archive assignments asv back band bar begin bisect bisecting bisection blocks broker brownian brute buffer built builtins bulk busy
callback caller cancelled celery cell changed changepoints channel chart checked checks child chips choice choosing chosen class clock coefficient collection command comments common compare compared compiled completed components comprehensions comprex
computed condition conflicts conqueror containers contents converter converters correction counter counting cpp csv cubes cusum dash dashboard database declaration definition delete deleting delivered delivering demo dense design detail detection
diagrams dialect difference disagreement disk display divided doctor draft drawing driver edge element ending entry error evaluate events evidence exact excursion execution executor exploration export exporting extensions failed failure field figure
file filter filtered fit fitted folder folding forbidden force form found frame freezing frozen function gaps garbage generators git given gone gpy grid guessing heartbeat held help hit home hook hotspots http hyperparameters hyperposterior identity ids import
imported importer importing impossible index init inputs inserter inserts install installation instants instrument intended interpreter interrupted invalid isolation item iteration iterator javascript joining json kaltenecker key kind language lasso
lately learning lease least lens library limited limits line linear link linked list literal loaded loading located location lock logarithm login loop lost mail managed management many mapped match matern measure membership memory menus messages metadata module moebius name
no nodes noise not noted nothing noticing number object objects older once openid operation ordered other outcome over overhead overview page paging pairs palette paper parameters part password paused pending performance permission pip place placed
plain planned playing policy polynomials position posterior prepared presence preview probe process products profile progress projections propagation proposal prune pruning published put python quantity query queueing random reader readiness reading
reads reap reaping reason rebuild rebuilding rebuilt refers refinement refused register registry relaxed replay report repository reproduce reproduced reproduction request reset restore result returned rewrite rewriter rewriting robust routes
row runner running sample sampled sampler saving scale scoring section seeds selected selection selftime serve server services serving setting share signature site sketch solver solving space span sparkline spl split spread squares stack standard start
statement static status step stepwise stop store stored storing suggestion suite summarized supervision supervisor sweeping syntax synthetic table tainted taken targets tasks tef template test text theme thread timer too trace tracing track tracked
transport trials tries try turn turns unavailable uncertainty undecided units unknown unprepared unreadable unsound upkeep upload urls use valid validity value violation walk wanted watch waterfall web weighing weight whitebox wide window windows words
worker writer writing wsgi xml
"""
PLAIN_WORDS = frozenset(_WORDS.split())
