// The list of documents: searched by text or name, filtered by topic, a page at a time.
const documents = (() => {
  const PAGE = 8;
  const LEAST_SHARE = 0.1; // of a topic in the documents that the filter leaves
  const search = byId("search");
  const filter = byId("filter");
  const list = byId("list");
  // A phrase is found as it is written, or word for word whatever stands between its words.
  const plain = (text) => text.toLowerCase().replace(/\s+/gu, " ").trim();
  const wordsOf = (text) => plain(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const spaced = (text) => ` ${wordsOf(text).join(" ")} `;
  const haystacks = data.documents.map((shown) => {
    const whole = `${shown.id} ${shown.text}`;
    return [plain(whole), spaced(whole)];
  });
  let found = [];
  let page = 0;
  let current = null;

  data.topics.forEach((topic, number) => {
    filter.append(element("option", { value: number }, topic.label));
  });

  const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
  const literally = (wanted) => new RegExp(escaped(wanted), "iu");
  const wordByWord = (wanted) => new RegExp(wordsOf(wanted).join("[^\\p{L}\\p{N}]+"), "iu");

  function snippet(shown, wanted) {
    const text = shown.text.replace(/\s+/gu, " ").trim();
    const hit = wanted && (text.match(literally(wanted)) ?? text.match(wordByWord(wanted)));
    if (!hit || !hit[0]) return [text.slice(0, 110)];
    const begin = hit.index < 40 ? 0 : text.indexOf(" ", hit.index - 40) + 1;
    const end = hit.index + hit[0].length;
    return [
      (begin ? "…" : "") + text.slice(Math.min(begin, hit.index), hit.index),
      element("em", {}, hit[0]),
      text.slice(end, end + 80),
    ];
  }

  function row(number, wanted) {
    const shown = data.documents[number];
    const dots = shown.topics.slice(0, 3).map(([topic]) => coloured(element("span", { class: "swatch" }), topic));
    const button = element(
      "button",
      { type: "button", "aria-current": number === current ? "true" : null },
      element("span", { class: "row-head" }, element("strong", {}, isolated(shown.id)), element("span", { class: "dots", "aria-hidden": "true" }, ...dots)),
      element("span", { class: "snippet" }, element("bdi", {}, ...snippet(shown, wanted))),
    );
    button.addEventListener("click", () => open(number, true));
    return element("li", {}, button);
  }

  function show() {
    const wanted = plain(search.value);
    const words = spaced(search.value);
    const fits = ([whole, asWords]) => whole.includes(wanted) || (words.trim() && asWords.includes(words));
    const topic = filter.value === "" ? null : Number(filter.value);
    const share = (number) => data.documents[number].topics.find(([place]) => place === topic)?.[1] ?? 0;
    found = data.documents.map((_, number) => number).filter((number) => fits(haystacks[number]));
    if (topic !== null) {
      found = found.filter((number) => share(number) >= LEAST_SHARE);
      found.sort((one, other) => share(other) - share(one));
    }
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(page, pages - 1);
    list.replaceChildren(...found.slice(page * PAGE, (page + 1) * PAGE).map((number) => row(number, wanted)));
    const all = data.documents.length;
    byId("found").textContent = found.length === all ? `${all} documents` : `${found.length} of ${all} documents`;
    byId("page").textContent = `page ${page + 1} of ${pages}`;
    byId("previous").disabled = page === 0;
    byId("next").disabled = page === pages - 1;
  }

  function anew() {
    page = 0;
    show();
  }

  function turn(by) {
    page += by;
    show();
  }

  function open(number, go) {
    current = number;
    reader.open(number);
    show();
    if (go) {
      bringIntoView(byId("reader"));
      reader.title.focus({ preventScroll: true });
    }
  }

  function find(text) {
    search.value = text;
    filter.value = "";
    anew();
    if (found.length) open(found[0], false);
    bringIntoView(byId("documents"));
    search.focus({ preventScroll: true });
  }

  function ofTopic(number) {
    search.value = "";
    filter.value = String(number);
    anew();
    bringIntoView(byId("documents"));
    filter.focus({ preventScroll: true });
  }

  byId("finder").addEventListener("submit", (event) => event.preventDefault());
  search.addEventListener("input", anew);
  filter.addEventListener("change", anew);
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  document.querySelectorAll("[data-search]").forEach((button) => {
    button.addEventListener("click", () => find(button.dataset.search));
  });
  if (data.documents.length) open(0, false);
  else show();
  return { open, find, ofTopic };
})();

topics.select(0);
