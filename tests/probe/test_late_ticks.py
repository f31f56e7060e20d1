"""A tick that is on its way when the profiled call ends does no harm."""

import signal

from probe.selftime import StackSampler


def test_a_tick_after_the_end_neither_counts_nor_asks_for_another() -> None:
    sampler = StackSampler((), 0.001)
    sampler.stop()
    sampler.tick(signal.SIGALRM, None)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert sampler.ticks == 0
