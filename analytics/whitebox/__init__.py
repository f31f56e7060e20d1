"""White-box analysis: decisions, exploration, refinement by counts, and the dependencies that they tell."""
