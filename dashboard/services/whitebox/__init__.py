"""White-box analyses of a subject: choosing configurations, running them traced, storing what they told."""
