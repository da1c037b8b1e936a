// A text as it was read: phrases are marked, and between two words of a span is a seam to click.
// Places come in characters of Unicode; a browser counts otherwise, so the text becomes a list.
function drawReading(container, reading, decided, act) {
  const letters = Array.from(reading.segmented.text);
  const written = (from, to) => letters.slice(from, to).join("");
  const { words, spans, segment_topics: topicOf } = reading;
  const { segments } = reading.segmented;
  const spanOf = new Array(words.length);
  spans.forEach((span, number) => spanOf.fill(number, span.first, span.last + 1));
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
      act.choose(spanOf[word]);
    });
    button.addEventListener("keydown", (event) => {
      const target = step(event, place, seams.length);
      if (target !== null) seams[target].focus();
    });
    return button;
  }

  const pieces = [];
  let at = 0;
  let word = 0;
  segments.forEach((segment, number) => {
    const before = word > 0 && spanOf[word - 1] === spanOf[word];
    pieces.push(before ? seam(word - 1, false) : written(at, segment.start));
    const several = segment.words > 1;
    const topic = topicOf[number];
    const span = spanOf[word];
    const mark = coloured(element("mark", { class: several ? "phrase" : "word" }), topic);
    mark.style.setProperty("--confidence", Math.max(segment.probability, 0.08));
    for (let i = 0; i < segment.words; i += 1, word += 1) {
      if (i > 0) mark.append(seam(word - 1, true));
      mark.append(written(words[word].start, words[word].end));
    }
    mark.addEventListener("pointerenter", () => act.tell(sentence(segment, topic)));
    mark.addEventListener("click", () => act.choose(span));
    marks.push([mark, span]);
    pieces.push(mark);
    at = segment.end;
  });
  container.replaceChildren(...pieces, written(at, letters.length));
  return {
    seams,
    highlight(span) {
      marks.forEach(([mark, own]) => mark.classList.toggle("chosen", own === span));
    },
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
