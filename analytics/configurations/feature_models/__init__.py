"""Feature models: features in a tree with constraints, and how they fold into options with levels.

`FeatureModel` is the model as it was written, `fold` gives its `Folding` into an `OptionSpace`, `conditions` what a
configuration must satisfy, `valid_configurations` the valid ones. docs/explanation/feature-models.md tells the rules.
"""
