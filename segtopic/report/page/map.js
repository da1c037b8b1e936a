// The map of topics, drawn for the width there is.

// Each topic by one phrase: its best one that no larger topic goes by.
const shortNames = (() => {
  const taken = new Set();
  return data.topics.map((topic) => {
    const phrases = [...topic.label.split(", "), ...topic.phrases.map(([text]) => text)];
    const name = phrases.find((phrase) => !taken.has(phrase)) ?? phrases[0];
    taken.add(name);
    return name;
  });
})();

// The width of a label: measured as it is drawn when it is chosen, which is the widest.
function labelWidth(container) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `650 12px ${getComputedStyle(container).fontFamily}`;
  return (text) => context.measureText(text).width + 4;
}

// `select` is told a topic, and whether the reader only passes by on the way to another.
function drawMap(container, select) {
  const width = Math.max(container.clientWidth, 240);
  const height = Math.round(Math.min(width * (width < 500 ? 1.1 : 0.9), 660));
  const spots = layOut(data.topics, width, height);
  const circles = spots.map((spot, number) => {
    const topic = data.topics[number];
    const name = `${topic.label}, ${percent(topic.share, 1)} of the documents`;
    const circle = drawn(
      "circle",
      { cx: spot.x, cy: spot.y, r: spot.r, role: "radio", "aria-label": name, tabindex: -1 },
      drawn("title", {}, name),
    );
    circle.addEventListener("click", () => select(number, false));
    circle.addEventListener("keydown", (event) => {
      if (event.key === " " || event.key === "Enter") {
        event.preventDefault();
        select(number, false);
      }
      const target = step(event, number, spots.length);
      if (target !== null) {
        select(target, true);
        circles[target].focus();
      }
    });
    return coloured(circle, number);
  });
  const labels = labelPlaces(spots, shortNames, width, height, labelWidth(container)).map(
    ({ number, lines, anchor, x, y }) => {
      const parts = lines.map((line, place) => drawn("tspan", { x, y: y + place * LINE }, line));
      return drawn("text", { "text-anchor": anchor, "data-topic": number }, ...parts);
    },
  );
  const svg = drawn(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "presentation" },
    ...circles,
    drawn("g", { class: "labels", "aria-hidden": "true" }, ...labels),
  );
  container.replaceChildren(svg);
  return { circles, labels };
}
