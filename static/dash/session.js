// A session that ended leads to the sign-in page; a server that does not answer is said, not hidden.
(function () {
  "use strict";
  var fetchBefore = window.fetch;

  function say(text) {
    var banner = document.getElementById("connection");
    if (!banner) return;
    banner.hidden = !text;
    banner.textContent = text || "";
  }

  // Signing out changes something: it goes by POST, with the token that Django set.
  document.addEventListener("click", function (event) {
    if (!event.target.closest("[data-action=sign-out]")) return;
    // Other installations on this machine have cookies, too: Dash is told which one is ours.
    var named = JSON.parse(document.getElementById("_dash-config").textContent).csrf_token_name + "=";
    var token = document.cookie.split("; ").find(function (cookie) {
      return cookie.startsWith(named);
    });
    var form = document.createElement("form");
    form.method = "post";
    form.action = "/logout/";
    var field = document.createElement("input");
    field.type = "hidden";
    field.name = "csrfmiddlewaretoken";
    field.value = token ? token.slice(named.length) : "";
    form.appendChild(field);
    document.body.appendChild(form);
    form.submit();
  });

  // What was asked for early is handed out once: who asks again, as after a lost connection, wants to know it anew.
  function early(address, options) {
    var asked = (options && options.body) || address;
    var answer = (window.perfatlasEarly || {})[asked];
    if (answer) delete window.perfatlasEarly[asked];
    return answer;
  }

  window.fetch = function (resource, options) {
    var address = String((resource && resource.url) || resource);
    var ours = address.includes("/app/_dash-");
    return ((ours && early(address, options)) || fetchBefore.apply(this, arguments)).then(
      function (response) {
        if (ours) {
          if (response.status === 401) {
            var here = window.location.pathname + window.location.search;
            window.location.assign("/login/?next=" + encodeURIComponent(here));
          } else if (response.status === 403) {
            say("This page is too old to be trusted by the server: reload it.");
          } else if (response.status >= 500) {
            say("The server could not answer (error " + response.status + "). Try again; its log says more.");
          } else {
            say("");
          }
        }
        return response;
      },
      function (error) {
        if (ours && error.name !== "AbortError") {
          say("The server does not answer. What you see stays; reload once it is back.");
        }
        throw error;
      }
    );
  };
})();
