"""What each option and interaction costs."""
