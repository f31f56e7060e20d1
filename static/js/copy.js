// A button with `data-copy` copies the input of that id and says so.
(function () {
  "use strict";
  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-copy]");
    if (!button) return;
    var input = document.getElementById(button.dataset.copy);
    input.select();
    // Without TLS browsers have no clipboard: then what is selected is copied by the keyboard.
    if (!navigator.clipboard) return;
    navigator.clipboard.writeText(input.value).then(function () {
      button.textContent = "Copied";
    });
  });
})();
