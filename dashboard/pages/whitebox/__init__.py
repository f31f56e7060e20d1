"""The page of a white-box analysis: dependent regions, unread options, limits, evidence, and the next step."""
