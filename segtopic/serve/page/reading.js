// A text as it was read: phrases are marked, and between two words of a span is a seam to click.
// Places come in characters of Unicode; a browser counts otherwise, so the text becomes a list.
function drawReading(container, reading, decided, act) {
  const letters = Array.from(reading.segmented.text);
  const written = (from, to) => letters.slice(from, to).join("");
  const { words, spans, segment_topics: topicOf } = reading;
  const { segments } = reading.segmented;
  const spanOf = new Array(words.length);
  spans.forEach((span, number) => spanOf.fill(number, span.first, span.last + 1));
  const wordsOf = segments.map((segment) => {
    const first = words.findIndex((word) => word.start >= segment.start);
    const after = words.findIndex((word) => word.start >= segment.end);
    return [first, (after < 0 ? words.length : after) - 1];
  });
  const segmentOf = new Array(words.length).fill(-1);
  wordsOf.forEach(([first, last], number) => segmentOf.fill(number, first, last + 1));
  const seams = [];
  const marks = [];

  function sentence(segment, topic) {
    const certain = percent(segment.probability);
    return `“${segment.text}”: ${certain} certain, topic ${data.topics[topic].label}`;
  }

  function seam(word, inside) {
    const [left, right] = [words[word], words[word + 1]];
    const names = `“${written(left.start, left.end)}” and “${written(right.start, right.end)}”`;
    const said = `${inside ? "Cut between" : "Join"} ${names}: a boundary is ${percent(left.boundary)} likely`;
    const choice = decided.get(left.end) ?? null;
    const button = element(
      "button",
      { type: "button", class: "seam", "aria-label": choice ? `${said}, as you decided` : said, "data-decided": choice },
      written(left.end, right.start),
    );
    button.style.setProperty("--boundary", left.boundary);
    const place = seams.push(button) - 1;
    button.tabIndex = place === 0 ? 0 : -1;
    button.addEventListener("click", () => act.decide(left.end, inside ? "cut" : "join", place));
    button.addEventListener("pointerenter", () => act.tell(said));
    button.addEventListener("focus", () => {
      seams.forEach((other) => (other.tabIndex = other === button ? 0 : -1));
      act.tell(said);
      act.choose(word, word + 1);
    });
    button.addEventListener("keydown", (event) => {
      const target = step(event, place, seams.length);
      if (target !== null) seams[target].focus();
    });
    return button;
  }

  function newMark(number) {
    const [first, last] = wordsOf[number];
    const [segment, topic] = [segments[number], topicOf[number]];
    const mark = coloured(element("mark", { class: last > first ? "phrase" : "word" }), topic);
    mark.style.setProperty("--confidence", Math.max(segment.probability, 0.08));
    mark.addEventListener("pointerenter", () => act.tell(sentence(segment, topic)));
    mark.addEventListener("click", () => act.choose(first, last));
    marks.push([mark, first, last]);
    return mark;
  }

  const pieces = [];
  let at = 0;
  let mark = null;
  words.forEach(({ start, end }, word) => {
    const number = segmentOf[word];
    const inside = word > 0 && number >= 0 && segmentOf[word - 1] === number;
    const sameSpan = word > 0 && spanOf[word - 1] === spanOf[word];
    const before = sameSpan ? seam(word - 1, inside) : written(at, start);
    if (inside) mark.append(before);
    else {
      mark = number >= 0 ? newMark(number) : null;
      pieces.push(before, ...(mark ? [mark] : []));
    }
    if (mark) mark.append(written(start, end));
    else pieces.push(written(start, end));
    at = end;
  });
  container.replaceChildren(...pieces, written(at, letters.length));
  return {
    seams,
    wordsOf,
    spanOf: (word) => spans[spanOf[word]],
    highlight(first, last) {
      marks.forEach(([own, from, to]) => own.classList.toggle("chosen", from <= last && to >= first));
    },
    written: (first, last) => written(words[first].start, words[last].end),
    // The words of a span with brackets around the segments of one of its segmentations.
    bracketed(span, ends) {
      const cut = new Set(ends);
      let shown = "[";
      for (let i = span.first; i <= span.last; i += 1) {
        shown += written(words[i].start, words[i].end);
        if (i < span.last) shown += cut.has(i) ? "] [" : " ";
      }
      return `${shown}]`;
    },
  };
}
