"""The feature model of a system: its valid configurations, what one violates, and where features lie."""
