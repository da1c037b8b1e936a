// The map of topics, laid out for the width there is: circles do not overlap, and labels are
// written where there is room, those of larger topics first.
const CHARACTER = 6.7; // width of a character of a label
const LINE = 15;

function layOut(width, height) {
  const scale = Math.sqrt((width * height * 0.2) / Math.PI);
  const margin = 34;
  const spots = data.topics.map((topic) => ({
    x: margin + topic.x * (width - 2 * margin),
    y: margin + (topic.y + (1 - highest("y")) / 2) * (height - 2 * margin),
    r: Math.max(5, Math.sqrt(topic.share) * scale),
  }));
  for (let round = 0; round < 300; round += 1) {
    for (let i = 0; i < spots.length; i += 1) {
      for (let j = i + 1; j < spots.length; j += 1) push(spots[i], spots[j]);
    }
    for (const spot of spots) {
      spot.x = Math.min(Math.max(spot.x, spot.r + 2), width - spot.r - 2);
      spot.y = Math.min(Math.max(spot.y, spot.r + 2), height - spot.r - 2);
    }
  }
  return spots;
}

function highest(axis) {
  return Math.max(...data.topics.map((topic) => topic[axis]));
}

function push(one, other) {
  const dx = other.x - one.x || 0.01;
  const dy = other.y - one.y || 0.01;
  const distance = Math.hypot(dx, dy);
  const overlap = one.r + other.r + 3 - distance;
  if (overlap <= 0) return;
  const weight = (other.r * other.r) / (one.r * one.r + other.r * other.r);
  const [ux, uy] = [dx / distance, dy / distance];
  one.x -= ux * overlap * weight * 0.5;
  one.y -= uy * overlap * weight * 0.5;
  other.x += ux * overlap * (1 - weight) * 0.5;
  other.y += uy * overlap * (1 - weight) * 0.5;
}

function labelPlaces(spots, width, height) {
  const taken = spots.map((s) => [s.x - s.r, s.y - s.r, s.x + s.r, s.y + s.r]);
  const crosses = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  const labels = [];
  spots.forEach((spot, number) => {
    const text = shortNames[number];
    const w = text.length * CHARACTER;
    const slant = spot.r * 0.75;
    const options = [
      ...(spot.r > 14 ? [[spot.x - w / 2, spot.y - LINE / 2]] : []),
      [spot.x + spot.r + 4, spot.y - LINE / 2],
      [spot.x - spot.r - 4 - w, spot.y - LINE / 2],
      [spot.x - w / 2, spot.y + spot.r + 2],
      [spot.x - w / 2, spot.y - spot.r - 2 - LINE],
      [spot.x + slant, spot.y - slant - LINE],
      [spot.x + slant, spot.y + slant],
      [spot.x - slant - w, spot.y - slant - LINE],
      [spot.x - slant - w, spot.y + slant],
    ];
    for (const [x, y] of options) {
      const box = [x, y, x + w, y + LINE];
      const inside = x >= 0 && y >= 0 && box[2] <= width && box[3] <= height;
      if (inside && !taken.some((other, owner) => owner !== number && crosses(box, other))) {
        taken.push(box);
        labels.push({ number, text, x: x + w / 2, y: y + LINE - 4 });
        return;
      }
    }
  });
  return labels;
}

// Each topic by one phrase: its best one that no larger topic goes by.
const shortNames = (() => {
  const taken = new Set();
  return data.topics.map((topic) => {
    const phrases = [...topic.label.split(", "), ...topic.phrases.map(([text]) => text)];
    const name = phrases.find((phrase) => !taken.has(phrase)) ?? phrases[0];
    taken.add(name);
    return name.length > 22 ? `${name.slice(0, 21)}…` : name;
  });
})();

function drawMap(container, select) {
  const width = Math.max(container.clientWidth, 240);
  const height = Math.round(Math.min(width * (width < 500 ? 1.1 : 0.9), 660));
  const spots = layOut(width, height);
  const circles = spots.map((spot, number) => {
    const topic = data.topics[number];
    const name = `${topic.label}, ${percent(topic.share, 1)} of the documents`;
    const circle = drawn(
      "circle",
      { cx: spot.x, cy: spot.y, r: spot.r, role: "radio", "aria-label": name, tabindex: -1 },
      drawn("title", {}, name),
    );
    circle.addEventListener("click", () => select(number));
    circle.addEventListener("keydown", (event) => {
      if (event.key === " " || event.key === "Enter") {
        event.preventDefault();
        select(number);
      }
      const target = step(event, number, spots.length);
      if (target !== null) {
        select(target);
        circles[target].focus();
      }
    });
    return coloured(circle, number);
  });
  const labels = labelPlaces(spots, width, height).map(({ number, text, x, y }) =>
    drawn("text", { x, y, "text-anchor": "middle", "data-topic": number }, text),
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
