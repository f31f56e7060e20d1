"""Addresses of the pages about people."""

from django.urls import path

from dashboard.people import joining, members

_SYSTEM = "systems/<slug:slug>/"
urlpatterns = [
    path(f"{_SYSTEM}members/", members.members, name="members"),
    path(f"{_SYSTEM}members/<int:user_id>/", members.change, name="change-member"),
    path(f"{_SYSTEM}invitations/", members.make_invitation, name="invite"),
    path(f"{_SYSTEM}invitations/<int:invitation_id>/", members.revoke, name="revoke-invitation"),
    path("join/", joining.join, name="join"),
    path("join/<str:token>/", joining.open_invitation, name="open-invitation"),
]
