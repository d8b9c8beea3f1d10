"use strict";
(() => {
const shown = (place) => {
  for (let at = place; at !== null; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
};
const asked = () => {
  const place = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  if (place !== null) {
    shown(place);
    place.scrollIntoView();
  }
};
addEventListener("hashchange", asked);
for (const link of document.querySelectorAll('a[href^="#"]')) link.addEventListener("click", () => setTimeout(asked));
asked();
})();
