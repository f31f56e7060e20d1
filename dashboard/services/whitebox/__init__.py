"""White-box analysis of a subject: choosing configurations, running them traced or counted, storing the result."""
