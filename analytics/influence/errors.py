"""What can be wrong with measurements and questions about influence models."""


class InfluenceError(Exception):
    """Root of all errors of `analytics.influence`."""


class RegionTimesError(InfluenceError):
    """Arrays of measurements that do not fit together."""


class UnknownRegionError(InfluenceError):
    """A name that is no region of the model."""


class AccuracyError(InfluenceError):
    """Truth or correction that no error can be computed from."""


class LearningError(InfluenceError):
    """Measurements that no model can be learned from."""


class EvaluationError(InfluenceError):
    """Measurements that no comparison of approaches can be made of."""


class HybridError(InfluenceError):
    """Counts or times that no hybrid model can be made from."""


class UnknownLearnerError(InfluenceError):
    """A name that no learner has."""
