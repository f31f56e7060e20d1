"""White-box analysis: exploration of configurations, decisions by taints, refinement by counts, and the result."""
