"""The addresses of a server at which a provider of OpenID Connect is set."""

from dashboard.people import openid
from dashboard.urls import urlpatterns as usual

urlpatterns = [*openid.urlpatterns, *usual]
handler500 = "dashboard.views.tell_fault"
