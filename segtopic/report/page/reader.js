// One document: its text with the phrases marked, their confidence and topics told on demand, and
// what was searched for.
const reader = (() => {
  const title = byId("reader-title");
  const body = byId("reader-body");
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
    for (let i = 0; i < shown.pieces.length; i += 5) {
      const [gap, length, size, confidence, topic] = shown.pieces.slice(i, i + 5);
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

  // A button that goes from hit to hit, and after the last to the first.
  function nextHit(text) {
    const hits = [...text.querySelectorAll("mark.hit")];
    const button = element("button", { type: "button", class: "quiet" }, "Next hit");
    let now = -1;
    button.addEventListener("click", () => {
      now = (now + 1) % hits.length;
      hits.forEach((hit, place) => hit.classList.toggle("now", place === now));
      hits[now].scrollIntoView({ block: "center", behavior: calm() ? "auto" : "smooth" });
    });
    return hits.length ? [button] : [];
  }

  const several = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  // Opens a document with the hits of a search, and the words of a topic, marked.
  function open(number, { search, within }) {
    const shown = data.documents[number];
    title.replaceChildren(isolated(shown.id));
    const detail = element("p", { class: "detail", role: "status" });
    const tell = (sentence, topic) => {
      detail.replaceChildren(coloured(element("span", { class: "swatch" }), topic), isolated(sentence));
    };
    const hits = searchHits(shown.text, search);
    const place = data.topics.findIndex((topic) => String(topic.number) === within);
    const [text, count] = marked(shown, hits, place, tell);
    text.classList.toggle("single-words", single);
    const box = element("input", { type: "checkbox", checked: single });
    box.addEventListener("change", () => {
      single = box.checked;
      text.classList.toggle("single-words", single);
    });
    const cut = shown.characters > [...shown.text].length;
    const facts = [
      `${shown.part} document`,
      several(count, "phrase"),
      ...(search ? [several(hits.length, "hit")] : []),
      ...(cut ? [`the beginning of ${shown.characters.toLocaleString("en")} characters`] : []),
    ];
    detail.append("Point at a phrase, or reach it by Tab and the arrow keys.");
    body.replaceChildren(
      element("p", { class: "note" }, facts.join(" · ")),
      ...shares(shown),
      ...keyPhrases(shown),
      element("p", { class: "tools" }, element("label", { class: "tick-box" }, box, "Colour single words too"), ...nextHit(text)),
      detail,
      text,
    );
  }

  function close(why) {
    title.replaceChildren(isolated(why));
    body.replaceChildren();
  }

  return { open, close, title };
})();
