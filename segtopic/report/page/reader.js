// One document: its text with the phrases marked, their confidence and topics told on demand, and
// what was searched for.
const reader = (() => {
  const title = byId("reader-title");
  const body = byId("reader-body");
  let view = data.view;
  let single = false;

  function words(phrase, confidence, topic) {
    return `“${phrase}”: ${confidence} % certain, topic ${data.topics[topic].label}`;
  }

  function shares(shown) {
    const bar = element("div", { class: "shares", "aria-hidden": "true" });
    const names = element("ul", { class: "share-names" });
    shown.topics.forEach(([topic, share], place) => {
      const part = coloured(element("span"), topic);
      part.style.setProperty("--length", share);
      bar.append(part);
      if (place < 5) {
        const { number, label } = data.topics[topic];
        const link = element("a", { class: "link", href: address.of({ topic: number }) }, isolated(label));
        names.append(coloured(element("li", {}, element("span", { class: "swatch" }), link, ` ${percent(share)}`), topic));
      }
    });
    const told = shown.topics.slice(0, 5).reduce((sum, [, share]) => sum + share, 0);
    if (told < 0.995) names.append(element("li", { class: "others" }, `others ${percent(1 - told)}`));
    return [bar, names];
  }

  function keyPhrases(shown) {
    const names = shown.key_phrases.map((phrase) => element("li", {}, isolated(phrase)));
    return names.length ? [element("p", { class: "note" }, "Key phrases"), element("ul", { class: "key-phrases" }, ...names)] : [];
  }

  // The text between two places, with the hits in it marked.
  function withHits(text, begin, end, hits) {
    const parts = [];
    let at = begin;
    for (const [from, to] of hits) {
      if (to <= at || from >= end) continue;
      parts.push(text.slice(at, Math.max(from, at)));
      at = Math.min(to, end);
      parts.push(element("mark", { class: "hit" }, text.slice(Math.max(from, begin), at)));
    }
    return [...parts, text.slice(at, end)].filter((part) => part !== "");
  }

  function marked(shown, hits, within, tell) {
    const text = element("div", { class: "text", dir: "auto" });
    const marks = [];
    let at = shown.text.length - shown.text.trimStart().length;
    let end = 0;
    const pieces = shown[view];
    for (let i = 0; i < pieces.length; i += 5) {
      const [gap, length, size, confidence, topic] = pieces.slice(i, i + 5);
      const start = end + gap;
      end = start + length;
      const phrase = shown.text.slice(start, end);
      const several = size > 1;
      const mark = element("mark", { class: several ? "phrase" : "word" }, ...withHits(shown.text, start, end, hits));
      mark.classList.toggle("wanted", topic === within);
      coloured(mark, topic).style.setProperty("--confidence", Math.max(confidence, 8) / 100);
      mark.addEventListener("pointerenter", () => tell(words(phrase, confidence, topic), topic));
      if (several) {
        const place = marks.push(mark) - 1;
        mark.tabIndex = place === 0 ? 0 : -1;
        mark.addEventListener("focus", () => {
          marks.forEach((other) => (other.tabIndex = other === mark ? 0 : -1));
          tell(words(phrase, confidence, topic), topic);
        });
        mark.addEventListener("keydown", (event) => {
          const target = step(event, place, marks.length);
          if (target !== null) marks[target].focus();
        });
      }
      text.append(...withHits(shown.text, at, start, hits), mark);
      at = end;
    }
    text.append(...withHits(shown.text, at, shown.text.length, hits));
    return [text, marks.length];
  }

  // Goes from hit to hit, and after the last to the first.
  function nextHit(text) {
    const hits = [...text.querySelectorAll("mark.hit")];
    const now = hits.findIndex((hit) => hit.classList.contains("now"));
    const next = (now + 1) % hits.length;
    hits.forEach((hit, place) => hit.classList.toggle("now", place === next));
    hits[next].scrollIntoView({ block: "center", behavior: calm() ? "auto" : "smooth" });
  }

  const several = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  // Opens a document with the hits of a search, and the words of a topic, marked.
  function open(number, { search, within }) {
    const shown = data.documents[number];
    title.replaceChildren(isolated(shown.id));
    const facts = element("p", { class: "note" });
    const detail = element("p", { class: "detail", role: "status" });
    const tell = (sentence, topic) => {
      detail.replaceChildren(coloured(element("span", { class: "swatch" }), topic), isolated(sentence));
    };
    const hits = searchHits(shown.text, search);
    const place = data.topics.findIndex((topic) => String(topic.number) === within);
    const cut = shown.characters > [...shown.text].length;
    let text = element("div");

    function draw() {
      const [drawn, count] = marked(shown, hits, place, tell);
      text.replaceWith(drawn);
      text = drawn;
      text.classList.toggle("single-words", single);
      tick.hidden = view !== "best";
      const told = [
        `${shown.part} document`,
        view === "marked" ? several(count, "phrase") : `${several(count, "segment")} of several words`,
        ...(search ? [several(hits.length, "hit")] : []),
        ...(cut ? [`the beginning of ${shown.characters.toLocaleString("en")} characters`] : []),
      ];
      facts.textContent = told.join(" · ");
      detail.textContent = count ? "Point at a phrase, or reach it by Tab and the arrow keys." : "";
    }

    const choice = viewSwitch("What is marked", VIEWS, view, (wanted) => {
      view = wanted;
      draw();
    });
    const box = element("input", { type: "checkbox", checked: single });
    box.addEventListener("change", () => {
      single = box.checked;
      text.classList.toggle("single-words", single);
    });
    const tick = element("label", { class: "tick-box" }, box, "Colour single words too");
    const button = element("button", { type: "button", class: "quiet", hidden: !hits.length }, "Next hit");
    button.addEventListener("click", () => nextHit(text));
    body.replaceChildren(facts, ...shares(shown), ...keyPhrases(shown), element("div", { class: "tools" }, choice, tick, button), detail, text);
    draw();
  }

  function close(why) {
    title.replaceChildren(isolated(why));
    body.replaceChildren();
  }

  return { open, close, title };
})();
