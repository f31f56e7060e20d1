"""Performance-influence models: local models of regions, composed into a global model."""
