"""What can be wrong with an evaluation."""


class EvaluationImpossibleError(ValueError):
    """Too little was measured, or none of it can be compared."""
