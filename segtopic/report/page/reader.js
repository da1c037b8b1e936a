// One document: its text with the phrases marked, their confidence and topics told on demand.
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
        const link = element("button", { type: "button", class: "link" }, isolated(data.topics[topic].label));
        link.addEventListener("click", () => {
          topics.select(topic);
          bringIntoView(byId("topics"));
          byId("topic-choice").focus({ preventScroll: true });
        });
        names.append(coloured(element("li", {}, element("span", { class: "swatch" }), link, ` ${percent(share)}`), topic));
      }
    });
    const told = shown.topics.slice(0, 5).reduce((sum, [, share]) => sum + share, 0);
    if (told < 0.995) names.append(element("li", { class: "others" }, `others ${percent(1 - told)}`));
    return [bar, names];
  }

  function marked(shown, tell) {
    const text = element("div", { class: "text", dir: "auto" });
    const marks = [];
    let at = 0;
    for (let i = 0; i < shown.pieces.length; i += 5) {
      const [gap, length, size, confidence, topic] = shown.pieces.slice(i, i + 5);
      const before = shown.text.slice(at, at + gap);
      text.append(i === 0 ? before.trimStart() : before);
      at += gap + length;
      const phrase = shown.text.slice(at - length, at);
      const several = size > 1;
      const mark = coloured(element("mark", { class: several ? "phrase" : "word" }, phrase), topic);
      mark.style.setProperty("--confidence", Math.max(confidence, 8) / 100);
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
      text.append(mark);
    }
    text.append(shown.text.slice(at));
    return [text, marks.length];
  }

  function open(number) {
    const shown = data.documents[number];
    title.replaceChildren(isolated(shown.id));
    const detail = element("p", { class: "detail", role: "status" });
    const tell = (sentence, topic) => {
      detail.replaceChildren(coloured(element("span", { class: "swatch" }), topic), isolated(sentence));
    };
    const [text, count] = marked(shown, tell);
    text.classList.toggle("single-words", single);
    const box = element("input", { type: "checkbox", checked: single });
    box.addEventListener("change", () => {
      single = box.checked;
      text.classList.toggle("single-words", single);
    });
    const cut = shown.characters > [...shown.text].length;
    const facts = [
      `${shown.part} document`,
      `${count.toLocaleString("en")} ${count === 1 ? "phrase" : "phrases"}`,
      ...(cut ? [`the beginning of ${shown.characters.toLocaleString("en")} characters`] : []),
    ];
    detail.append("Point at a phrase, or reach it by Tab and the arrow keys.");
    body.replaceChildren(
      element("p", { class: "note" }, facts.join(" · ")),
      ...shares(shown),
      element("label", { class: "tick-box" }, box, "Colour single words too"),
      detail,
      text,
    );
  }

  return { open, title };
})();
