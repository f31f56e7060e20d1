"""What can be wrong with a bisection."""


class BisectionError(ValueError):
    """Measurements that no bisection can be made of."""
