"""Learners: models of configurations from end-to-end measurements alone, the black-box baselines."""
