"""Addresses of the pages about people."""

from django.urls import path

from dashboard.people import account, accounts, audit, joining, members, teams

_SYSTEM = "systems/<slug:slug>/"
urlpatterns = [
    path(f"{_SYSTEM}members/", members.members, name="members"),
    path(f"{_SYSTEM}members/<int:user_id>/", members.change, name="change-member"),
    path(f"{_SYSTEM}invitations/", members.make_invitation, name="invite"),
    path(f"{_SYSTEM}invitations/<int:invitation_id>/", members.revoke, name="revoke-invitation"),
    path(f"{_SYSTEM}teams/", members.give_team, name="give-team-role"),
    path(f"{_SYSTEM}teams/<int:team_id>/", members.change_team, name="change-team-role"),
    path(f"{_SYSTEM}audit/", audit.audit, name="audit"),
    path(f"{_SYSTEM}audit.csv", audit.audit_csv, name="audit-csv"),
    path("account/", account.account, name="account"),
    path("account/password/", account.set_password, name="set-password"),
    path("account/sign-ins/", account.end_others, name="end-other-sign-ins"),
    path("account/sign-ins/<int:sign_in_id>/", account.end, name="end-sign-in"),
    path("account/tokens/", account.make_token, name="make-token"),
    path("account/tokens/<int:token_id>/", account.end_token, name="revoke-token"),
    path("teams/", teams.teams, name="teams"),
    path("teams/<int:team_id>/", teams.team, name="team"),
    path("teams/<int:team_id>/members/", teams.put_in, name="put-into-team"),
    path("teams/<int:team_id>/members/<int:user_id>/", teams.change_in, name="change-team-member"),
    path("teams/<int:team_id>/delete/", teams.delete, name="delete-team"),
    path("accounts/", accounts.accounts, name="accounts"),
    path("reset/<str:uidb64>/<str:token>/", accounts.new_password, name="new-password"),
    path("join/", joining.join, name="join"),
    path("join/<str:token>/", joining.open_invitation, name="open-invitation"),
]
