// Search in texts: a phrase is found as it is written, or word for word whatever stands between.
const LETTERS = "\\p{L}\\p{M}\\p{N}";

function searchPattern(wanted) {
  const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
  const written = wanted.trim().split(/\s+/u).map(escaped).join("\\s+");
  if (!written) return null;
  const words = wanted.match(new RegExp(`[${LETTERS}]+`, "gu")) ?? [];
  const spoken = `(?<![${LETTERS}])${words.join(`[^${LETTERS}]+`)}(?![${LETTERS}])`;
  return new RegExp(words.length > 1 ? `${written}|${spoken}` : written, "giu");
}

// Begin and end of every hit.
function searchHits(text, wanted) {
  const pattern = searchPattern(wanted);
  const found = pattern ? [...text.matchAll(pattern)] : [];
  return found.map((hit) => [hit.index, hit.index + hit[0].length]);
}
