"""Which revision brought a change: bisection of noisy measurements, with the probability of an error."""

from analytics.bisection.errors import BisectionError
from analytics.bisection.posterior import Location, locate
from analytics.bisection.search import BisectionSettings, next_position

__all__ = ["BisectionError", "BisectionSettings", "Location", "locate", "next_position"]
