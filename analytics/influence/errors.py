"""What can be wrong with measurements and questions about influence models."""


class InfluenceError(Exception):
    """What is wrong with measurements, or what is asked of models; some have a class of their own."""


class UnknownRegionError(InfluenceError):
    """A name that is no region of the model."""


class LearningError(InfluenceError):
    """Measurements that no model can be learned from."""
