// The chosen topic: on the map, in the list of choices, and its phrases as bars.
const topics = (() => {
  const container = byId("map");
  const choice = byId("topic-choice");
  const panel = byId("topic");
  let chosen = 0;
  let map = null;

  data.topics.forEach((topic, number) => {
    choice.append(element("option", { value: number }, `${topic.label} (${percent(topic.share, 1)})`));
  });
  document.querySelectorAll(".overview [data-topic]").forEach((row) => coloured(row, Number(row.dataset.topic)));
  offerCsv(csvButton("topics"), "topics", () =>
    data.topics.map((topic) => ({
      topic: topic.number,
      name: topic.label,
      share: topic.share,
      phrases: topic.phrases.map(([text]) => text).join("; "),
      typical_documents: topic.documents.map(([number]) => data.documents[number].id).join("; "),
    })),
  );

  function mark() {
    map.circles.forEach((circle, number) => {
      circle.setAttribute("aria-checked", number === chosen);
      circle.setAttribute("tabindex", number === chosen ? 0 : -1);
    });
    map.labels.forEach((label) => {
      label.classList.toggle("chosen", Number(label.dataset.topic) === chosen);
    });
  }

  function bars(topic) {
    const longest = Math.max(...topic.phrases.map(([, probability]) => probability), 1e-12);
    const rows = topic.phrases.map(([text, probability, count]) => {
      const bar = element("span", { class: "bar", "aria-hidden": "true" });
      bar.style.setProperty("--length", probability / longest);
      const counted = `${count.toLocaleString("en")}×`;
      return element(
        "li",
        {},
        element("a", { class: "link", href: address.of({ search: text }) }, isolated(text)),
        element("span", { class: "probability" }, smallPercent(probability)),
        element("span", { class: "count", title: "times in the training text" }, counted),
        bar,
      );
    });
    return element("ol", { class: "bars" }, ...rows);
  }

  function typical(topic) {
    const rows = topic.documents.map(([number, share]) => {
      const shown = data.documents[number];
      return element(
        "li",
        {},
        element("a", { class: "link", href: address.of({ document: shown.id, within: topic.number }) }, isolated(beginning(shown.text))),
        element("small", {}, isolated(shown.id), `, ${percent(share)} of it`),
      );
    });
    return element("ul", { class: "typical" }, ...rows);
  }

  function select(number) {
    chosen = number;
    const topic = data.topics[number];
    choice.value = String(number);
    mark();
    const save = element("button", { type: "button", class: "quiet" }, "Phrases as CSV");
    offerCsv(save, `topic-${topic.number}`, () =>
      topic.phrases.map(([phrase, probability, count]) => ({ topic: topic.number, phrase, probability, count })),
    );
    panel.replaceChildren(
      element("h3", { class: "topic-name", tabindex: -1 }, element("span", { class: "swatch" }), isolated(topic.label)),
      element("p", { class: "note" }, `${percent(topic.share, 1)} of the training documents; number ${topic.number} in the model`),
      element("h4", {}, "Phrases, most telling first: probability in the topic, and how often they stand in the training text"),
      bars(topic),
    );
    const actions = element("p", { class: "actions" }, save);
    if (topic.documents.length) {
      const all = element("a", { class: "quiet", href: address.of({ within: topic.number }) }, "Documents of this topic");
      panel.append(element("h4", {}, "Typical documents: those of the whole corpus with most of the topic"), typical(topic));
      actions.prepend(all, " ");
    }
    panel.append(actions);
    coloured(panel, number);
  }

  // By its number in the model, as addresses have it.
  function open(name, go) {
    const number = data.topics.findIndex((topic) => String(topic.number) === name);
    if (number < 0) panel.replaceChildren(element("p", { class: "notice" }, "This page has no topic ", isolated(name), "."));
    else select(number);
    if (go) {
      bringIntoView(byId("one-topic"));
      panel.querySelector(".topic-name")?.focus({ preventScroll: true });
    }
  }

  // From the map or the list: the reader stays where they are.
  function choose(number, passing) {
    select(number);
    const place = { topic: data.topics[number].number };
    if (passing) address.follow(place);
    else address.record(place);
  }

  function draw() {
    map = drawMap(container, choose);
    mark();
  }

  choice.addEventListener("change", () => choose(Number(choice.value), false));
  let width = 0;
  new ResizeObserver(() => {
    if (container.clientWidth !== width) {
      width = container.clientWidth;
      draw();
    }
  }).observe(container);
  draw();
  width = container.clientWidth;
  return { select, open };
})();
