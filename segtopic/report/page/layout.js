// Where circles and labels of the map stand: numbers in, numbers out, nothing is drawn.
// Circles never overlap. A label stands on no circle but its own, on no other label, and inside the
// map; a large circle always has one, inside itself if there is no room beside it.
const LINE = 15; // height of a line of a label
const GAP = 3; // between circles, if there is room; half a pixel less is good enough
const LARGE = 20; // radius from which on a circle has room for a label
const ROUNDS = 300;

// Circles of `topics` ({x, y, share}, places between 0 and 1), the largest first.
function layOut(topics, width, height) {
  const scale = Math.sqrt((width * height * 0.2) / Math.PI);
  const margin = 34;
  const lowest = 1 - Math.max(...topics.map((topic) => topic.y));
  const spots = topics.map((topic, number) => ({
    // Topics at the same place leave it in different directions.
    x: margin + topic.x * (width - 2 * margin) + 0.01 * Math.cos(number),
    y: margin + (topic.y + lowest / 2) * (height - 2 * margin) + 0.01 * Math.sin(number),
    r: Math.max(5, Math.sqrt(topic.share) * scale),
  }));
  // Where there are too many to be pushed apart, all become smaller.
  while (!apart(spots, width, height)) spots.forEach((spot) => (spot.r *= 0.94));
  return spots;
}

// Whether pushing found a place inside the map for every circle.
function apart(spots, width, height) {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const spot of spots) {
      spot.x = Math.min(Math.max(spot.x, spot.r + 2), width - spot.r - 2);
      spot.y = Math.min(Math.max(spot.y, spot.r + 2), height - spot.r - 2);
    }
    let touching = false;
    for (let i = 0; i < spots.length; i += 1) {
      for (let j = i + 1; j < spots.length; j += 1) touching = push(spots[i], spots[j]) || touching;
    }
    if (!touching) return true;
  }
  return false;
}

// Moves two circles apart, the smaller one further; false if they stand apart already.
function push(one, other) {
  const dx = other.x - one.x || 0.01;
  const dy = other.y - one.y || 0.01;
  const distance = Math.hypot(dx, dy);
  const missing = one.r + other.r + GAP - distance;
  if (missing <= 0.5) return false;
  const weight = (other.r * other.r) / (one.r * one.r + other.r * other.r);
  const [ux, uy] = [dx / distance, dy / distance];
  one.x -= ux * missing * weight * 0.5;
  one.y -= uy * missing * weight * 0.5;
  other.x += ux * missing * (1 - weight) * 0.5;
  other.y += uy * missing * (1 - weight) * 0.5;
  return true;
}

// Labels for as many circles as have room; `measure` tells the width of a text. A label is some
// lines with their middle at `x` and the base of the first at `y`; `box` is what it covers.
function labelPlaces(spots, names, width, height, measure) {
  const taken = [];
  const free = (box, owner) =>
    box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= height &&
    !taken.some((other) => crosses(box, other)) &&
    !spots.some((spot, number) => number !== owner && covers(box, spot));
  return spots.flatMap((spot, number) => {
    const options = [...beside(spot, names[number], measure), ...inside(spot, names[number], measure)];
    const found = options.find((option) => free(option.box, number));
    if (!found) return [];
    taken.push(found.box);
    return [{ number, ...found }];
  });
}

const crosses = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

function covers(box, spot) {
  const x = Math.min(Math.max(spot.x, box[0]), box[2]);
  const y = Math.min(Math.max(spot.y, box[1]), box[3]);
  return Math.hypot(spot.x - x, spot.y - y) < spot.r;
}

function label(lines, x, y, w) {
  return { lines, x: x + w / 2, y: y + LINE - 4, box: [x, y, x + w, y + lines.length * LINE] };
}

// In one line: over the middle of a circle that is not tiny, or next to it.
function beside(spot, name, measure) {
  const w = measure(name);
  const slant = spot.r * 0.75;
  const places = [
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
  return places.map(([x, y]) => label([name], x, y, w));
}

// Inside a large circle: its words below each other, then one line, as much of it as fits.
function inside(spot, name, measure) {
  if (spot.r < LARGE) return [];
  const options = [];
  for (const lines of [name.split(" "), [name]]) {
    const half = (lines.length * LINE) / 2;
    const room = half < spot.r ? 2 * Math.sqrt(spot.r * spot.r - half * half) : 0;
    const short = lines.map((line) => shortened(line, room, measure));
    if (short.every(Boolean) && (lines.length === 1 || short.every((line, place) => line === lines[place]))) {
      const w = Math.max(...short.map(measure));
      options.push(label(short, spot.x - w / 2, spot.y - half, w));
    }
  }
  return options;
}

// The text, or its beginning and three dots; empty if not even one letter fits.
function shortened(text, room, measure) {
  if (measure(text) <= room) return text;
  const letters = [...text];
  let n = letters.length - 1;
  while (n > 0 && measure(`${letters.slice(0, n).join("")}…`) > room) n -= 1;
  return n > 0 ? `${letters.slice(0, n).join("")}…` : "";
}
