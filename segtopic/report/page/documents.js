// The list of documents: searched by text or name, filtered by topic, a page at a time.
const documents = (() => {
  const PAGE = 8;
  const LEAST_SHARE = 0.1; // of a topic in the documents that the filter leaves
  const search = byId("search");
  const filter = byId("filter");
  const rows = byId("list");
  const told = byId("found");
  const narrow = matchMedia("(max-width: 60rem)");
  let found = [];
  let page = 0;
  let current = null;

  data.topics.forEach((topic) => {
    filter.append(element("option", { value: topic.number }, topic.label));
  });
  offerCsv(csvButton("documents"), "documents", () =>
    found.map((number) => {
      const { id, part, topics: shares, text } = data.documents[number];
      const [place, share] = shares[0];
      const { number: topic, label: name } = data.topics[place];
      return { id, part, topic, name, share, text };
    }),
  );

  const asked = () => ({ search: search.value.trim(), within: filter.value });

  function snippet(shown, wanted) {
    const text = shown.text.replace(/\s+/gu, " ").trim();
    const [hit] = searchHits(text, wanted);
    if (!hit) return [text.slice(0, 110)];
    const [start, end] = hit;
    const begin = start < 40 ? 0 : Math.min(text.indexOf(" ", start - 40) + 1, start);
    return [
      (begin ? "…" : "") + text.slice(begin, start),
      element("em", {}, text.slice(start, end)),
      text.slice(end, end + 80),
    ];
  }

  function row(number) {
    const shown = data.documents[number];
    const dots = shown.topics.slice(0, 3).map(([topic]) => coloured(element("span", { class: "swatch" }), topic));
    const link = element(
      "a",
      { href: address.of({ document: shown.id, ...asked() }), "aria-current": number === current ? "true" : null },
      element("span", { class: "row-head" }, element("strong", {}, isolated(shown.id)), element("span", { class: "dots", "aria-hidden": "true" }, ...dots)),
      element("span", { class: "snippet" }, element("bdi", {}, ...snippet(shown, search.value))),
    );
    return element("li", {}, link);
  }

  function find() {
    const pattern = searchPattern(search.value);
    const fits = ({ id, text }) => !pattern || id.search(pattern) >= 0 || text.search(pattern) >= 0;
    found = data.documents.flatMap((shown, number) => (fits(shown) ? [number] : []));
    if (filter.value === "") return;
    const place = data.topics.findIndex((topic) => String(topic.number) === filter.value);
    const share = (number) => data.documents[number].topics.find(([topic]) => topic === place)?.[1] ?? 0;
    const typical = new Set(data.topics[place].documents.map(([number]) => number));
    found = found.filter((number) => share(number) >= LEAST_SHARE || typical.has(number));
    found.sort((one, other) => share(other) - share(one));
  }

  function words() {
    const all = data.documents.length;
    const topic = filter.value === "" ? "" : `, of the topic ${filter.selectedOptions[0].textContent}`;
    if (found.length) return found.length === all ? `${all} documents` : `${found.length} of ${all} documents`;
    return search.value.trim() ? `No document on this page${topic} has “${search.value.trim()}”.` : "There is no document on this page.";
  }

  function list() {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    rows.replaceChildren(...found.slice(page * PAGE, (page + 1) * PAGE).map(row));
    told.replaceChildren(isolated(words()));
    told.classList.toggle("notice", !found.length);
    byId("page").textContent = `page ${page + 1} of ${pages}`;
    byId("previous").disabled = page === 0;
    byId("next").disabled = page === pages - 1;
    byId("pages").hidden = pages === 1;
    csvButton("documents").disabled = !found.length;
  }

  function turn(by) {
    page += by;
    list();
  }

  // Finds what is asked for and opens a document: the named one, or the first that was found.
  function show(name) {
    find();
    const named = name === undefined ? -1 : data.documents.findIndex(({ id }) => id === name);
    current = name === undefined ? (found[0] ?? null) : named >= 0 ? named : null;
    page = Math.max(0, Math.floor(found.indexOf(current) / PAGE));
    list();
    if (current === null) reader.close(name === undefined ? "No document is open" : `This page has no document “${name}”`);
    else reader.open(current, asked());
  }

  // What an address names.
  function open(place, go) {
    search.value = place.search ?? "";
    filter.value = place.within ?? "";
    if (filter.selectedIndex < 0) filter.value = ""; // a topic of another page
    show(place.document);
    if (go) {
      bringIntoView(narrow.matches && current !== null ? byId("reader") : byId("documents"));
      reader.title.focus({ preventScroll: true });
    }
  }

  // What the reader asks for: without a question the open document stays.
  function ask(keep) {
    const { search: wanted, within } = asked();
    show(wanted || within || current === null ? undefined : data.documents[current].id);
    keep(asked());
  }

  byId("finder").addEventListener("submit", (event) => event.preventDefault());
  search.addEventListener("input", () => ask(address.follow));
  filter.addEventListener("change", () => ask(address.record));
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  return { open };
})();
