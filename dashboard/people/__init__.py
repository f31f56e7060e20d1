"""Pages about people: members of a system, invitations, teams, accounts, and the audit trail.

They are plain pages with forms rather than pages of the explorer: no secret passes a callback, they work for who is not
signed in yet, and Django's forms, CSRF check and password validators cover them as they stand.
"""
