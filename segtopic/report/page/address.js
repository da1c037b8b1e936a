// What is seen has an address: the part of the URL after "#", as "topic=3" or "document=ID&search=x".
// Links lead to addresses, the back button leads back, and an address that is sent shows the same.
const address = (() => {
  const NAMES = ["topic", "document", "search", "within"];
  const SEEN = "seen"; // entries of the history whose place on the page the browser knows
  const TYPING = 400; // milliseconds; browsers refuse addresses that change with every key
  let show = () => {};
  let waiting = null;

  const of = (place) => `#${new URLSearchParams(Object.entries(place).filter(([, value]) => value !== ""))}`;

  function parsed(fragment) {
    const known = [...new URLSearchParams(fragment.slice(1))].filter(([name]) => NAMES.includes(name));
    return known.length ? Object.fromEntries(known) : null;
  }

  // The reader has already changed what is seen: by a choice, to which the way back leads ...
  function record(place) {
    clearTimeout(waiting);
    history.pushState(SEEN, "", of(place));
  }

  // ... or little by little, key by key.
  function follow(place) {
    clearTimeout(waiting);
    waiting = setTimeout(() => history.replaceState(SEEN, "", of(place)), TYPING);
  }

  function go(place) {
    record(place);
    show(place, true);
  }

  // Where the page begins, and where the reader arrives by the back button or by a typed address.
  function arrive(back) {
    const place = parsed(location.hash);
    if (!back) history.replaceState(SEEN, "");
    if (place) show(place, !back);
    else if (!location.hash) show({}, false);
  }

  function begin(shown) {
    show = shown;
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[href^='#']");
      const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
      const place = link && plain ? parsed(link.getAttribute("href")) : null;
      if (place) {
        event.preventDefault();
        go(place);
      }
    });
    addEventListener("popstate", (event) => arrive(event.state === SEEN));
    show({}, false);
    if (location.hash) arrive(false);
  }

  return { of, record, follow, begin };
})();
