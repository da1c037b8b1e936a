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
      const name = element("button", { type: "button", class: "link" }, isolated(text));
      name.addEventListener("click", () => documents.find(text));
      const counted = `${count.toLocaleString("en")}×`;
      return element(
        "li",
        {},
        name,
        element("span", { class: "probability" }, smallPercent(probability)),
        element("span", { class: "count", title: "times in the training text" }, counted),
        bar,
      );
    });
    return element("ol", { class: "bars" }, ...rows);
  }

  function typical(topic) {
    const rows = topic.documents.map(([number, share]) => {
      const link = element("button", { type: "button", class: "link" });
      link.append(isolated(data.documents[number].id));
      link.addEventListener("click", () => documents.open(number, true));
      return element("li", {}, link, ` ${percent(share)}`);
    });
    return element("ul", { class: "typical" }, ...rows);
  }

  function select(number) {
    chosen = number;
    const topic = data.topics[number];
    choice.value = String(number);
    mark();
    const only = element("button", { type: "button", class: "quiet" }, "Documents of this topic");
    only.addEventListener("click", () => documents.ofTopic(number));
    panel.replaceChildren(
      element("h3", { class: "topic-name" }, element("span", { class: "swatch" }), isolated(topic.label)),
      element("p", { class: "note" }, `${percent(topic.share, 1)} of the training documents; number ${topic.number} in the model`),
      element("h4", {}, "Phrases, most telling first: probability in the topic, and how often they stand in the training text"),
      bars(topic),
    );
    if (topic.documents.length) {
      panel.append(element("h4", {}, "Typical documents, and their share of the topic"), typical(topic), only);
    }
    coloured(panel, number);
  }

  function draw() {
    map = drawMap(container, select);
    mark();
  }

  choice.addEventListener("change", () => select(Number(choice.value)));
  let width = 0;
  new ResizeObserver(() => {
    if (container.clientWidth !== width) {
      width = container.clientWidth;
      draw();
    }
  }).observe(container);
  draw();
  width = container.clientWidth;
  return { select };
})();
