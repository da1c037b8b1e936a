// Other ways to read the chosen words: a sentence about them, and for each its text, its
// probability and the boundaries that it decides, as pairs of the end of a word and a decision.
function waysToRead(reading, drawing, first, last) {
  const { words, candidates } = reading;

  function boundaries(span, from, to, isCut) {
    const decided = [];
    for (let i = Math.max(from, span.first); i <= Math.min(to, span.last - 1); i += 1) {
      decided.push([words[i].end, isCut(i) ? "cut" : "join"]);
    }
    return decided;
  }

  // Phrases that hold one of the words; to keep one is to cut before and after it.
  function phrases() {
    const MOST = 5;
    const near = candidates.filter((phrase) => phrase.first <= last && phrase.last >= first);
    const ways = near
      .sort((one, other) => other.probability - one.probability)
      .slice(0, MOST)
      .map((phrase) => ({
        text: drawing.written(phrase.first, phrase.last),
        probability: phrase.probability,
        decides: boundaries(drawing.spanOf(phrase.first), phrase.first - 1, phrase.last, (i) => i < phrase.first || i === phrase.last),
      }));
    const about = "Phrases that hold some of these words, with their probabilities; choose one to keep it.";
    return { about: ways.length ? about : "No phrase is likely here.", ways };
  }

  function segmentations() {
    const span = drawing.spanOf(first);
    const ways = span.alternatives.map(({ probability, ends }) => {
      const cut = new Set(ends);
      return { text: drawing.bracketed(span, ends), probability, decides: boundaries(span, span.first, span.last, (i) => cut.has(i)) };
    });
    const about = ways.length > 1
      ? "Ways to cut these words, with their probabilities; choose one to keep it."
      : "These words can be cut in one way only, or you have decided it.";
    return { about, ways };
  }

  return candidates ? phrases() : segmentations();
}
