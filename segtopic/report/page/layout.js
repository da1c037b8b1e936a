// Where circles and labels of the map stand: numbers in, numbers out, nothing is drawn.
// Circles never overlap. A label stands on no circle but its own, on no other label, and inside the
// map; a large circle always has one, inside itself if there is no room beside it.
const LINE = 15; // height of a line of a label
const GAP = 3; // between circles, if there is room; half a pixel less is good enough
const LARGE = 20; // radius from which on a circle has room for a label
const BRIEF = 22; // letters of a label in one line
const BRIEFER = 13; // where there is less room
const ROUNDS = 300;
const EVENNESS = 0.5; // of distances from the middle: 1 as they are, 0 all the same

// Circles of `topics` ({x, y, share}, places between 0 and 1), the largest first.
function layOut(topics, width, height) {
  const scale = Math.sqrt((width * height * 0.14) / Math.PI);
  const margin = 34;
  const places = spread(topics);
  const spots = topics.map((topic, number) => ({
    // Topics at the same place leave it in different directions.
    x: margin + places[number].x * (width - 2 * margin) + 0.01 * Math.cos(number),
    y: margin + places[number].y * (height - 2 * margin) + 0.01 * Math.sin(number),
    r: Math.max(5, Math.sqrt(topic.share) * scale),
  }));
  // Where there are too many to be pushed apart, all become smaller.
  while (!apart(spots, width, height)) spots.forEach((spot) => (spot.r *= 0.94));
  return spots;
}

// Places between 0 and 1 with room where most topics are: a few that are far from all others would
// leave the rest a heap. Each stays in its direction from the middle, and none passes another.
function spread(topics) {
  const middle = (of) => topics.map(of).reduce((sum, value) => sum + value, 0) / topics.length;
  const [mx, my] = [middle(({ x }) => x), middle(({ y }) => y)];
  const moved = topics.map(({ x, y }) => {
    const distance = Math.hypot(x - mx, y - my);
    const factor = distance > 0 ? distance ** (EVENNESS - 1) : 0;
    return { x: (x - mx) * factor, y: (y - my) * factor };
  });
  const range = (of) => [Math.min(...moved.map(of)), Math.max(...moved.map(of))];
  const [[left, right], [top, bottom]] = [range(({ x }) => x), range(({ y }) => y)];
  const extent = Math.max(right - left, bottom - top) || 1;
  return moved.map(({ x, y }) => ({
    x: 0.5 + (x - (left + right) / 2) / extent,
    y: 0.5 + (y - (top + bottom) / 2) / extent,
  }));
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
// lines that begin, end or have their middle (`anchor`) at `x`, the base of the first at `y`; `box`
// is what it covers.
function labelPlaces(spots, names, width, height, measure) {
  const taken = [];
  const free = (box, owner) =>
    box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= height &&
    !taken.some((other) => crosses(box, other)) &&
    !spots.some((spot, number) => number !== owner && covers(box, spot));
  return spots.flatMap((spot, number) => {
    const options = labelOptions(spot, names[number], measure);
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

function label(lines, x, y, w, anchor = "middle") {
  const at = { start: x, middle: x + w / 2, end: x + w }[anchor];
  return { lines, anchor, x: at, y: y + LINE - 4, box: [x, y, x + w, y + lines.length * LINE] };
}

// Where a label may stand, the best place first: over the middle of its circle, in lines inside it,
// beside it, the same with fewer letters, and if all else fails inside it as much as fits.
function labelOptions(spot, name, measure) {
  const around = (letters) => {
    const brief = [...name].length > letters ? `${[...name].slice(0, letters - 1).join("").trimEnd()}…` : name;
    const w = measure(brief);
    const middle = spot.r > 14 ? [label([brief], spot.x - w / 2, spot.y - LINE / 2, w)] : [];
    return [...middle, ...(letters === BRIEF ? inLines(spot, name, measure) : []), ...beside(spot, brief, w)];
  };
  return [...around(BRIEF), ...around(BRIEFER), ...inside(spot, name, measure)];
}

function beside(spot, name, w) {
  const slant = spot.r * 0.75;
  const [right, left, centre] = [spot.x + spot.r + 4, spot.x - spot.r - 4 - w, spot.x - w / 2];
  return [
    [right, spot.y - LINE / 2, "start"],
    [left, spot.y - LINE / 2, "end"],
    [centre, spot.y + spot.r + 2, "middle"],
    [centre, spot.y - spot.r - 2 - LINE, "middle"],
    [spot.x + slant, spot.y - slant - LINE, "start"],
    [spot.x + slant, spot.y + slant, "start"],
    [spot.x - slant - w, spot.y - slant - LINE, "end"],
    [spot.x - slant - w, spot.y + slant, "end"],
  ].map(([x, y, anchor]) => label([name], x, y, w, anchor));
}

// How wide so many lines may be inside a circle.
function room(spot, lines) {
  const half = (lines * LINE) / 2;
  return half < spot.r ? 2 * Math.sqrt(spot.r * spot.r - half * half) : 0;
}

function inLines(spot, name, measure) {
  const lines = name.split(" ");
  const w = Math.max(...lines.map(measure));
  if (lines.length === 1 || w > room(spot, lines.length)) return [];
  return [label(lines, spot.x - w / 2, spot.y - (lines.length * LINE) / 2, w)];
}

function inside(spot, name, measure) {
  if (spot.r < LARGE) return [];
  const text = shortened(name, room(spot, 1), measure);
  const w = measure(text);
  return text ? [label([text], spot.x - w / 2, spot.y - LINE / 2, w)] : [];
}

// The text, or its beginning and three dots; empty if not even one letter fits.
function shortened(text, room, measure) {
  if (measure(text) <= room) return text;
  const letters = [...text];
  let n = letters.length - 1;
  while (n > 0 && measure(`${letters.slice(0, n).join("")}…`) > room) n -= 1;
  return n > 0 ? `${letters.slice(0, n).join("")}…` : "";
}
