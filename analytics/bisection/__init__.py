"""Which revision brought a change: bisection of noisy measurements, with the probability of an error."""

from analytics.bisection.errors import BisectionError
from analytics.bisection.posterior import Location, locate
from analytics.bisection.search import next_position

__all__ = ["BisectionError", "Location", "locate", "next_position"]
