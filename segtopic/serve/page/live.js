// The conversation with the server: a text goes out, a reading comes back and is shown.
{
  const PAUSE = 500; // milliseconds after the last letter before a text is read
  const text = byId("text");
  const marked = byId("marked");
  const decided = new Map(); // end of a word -> "join" or "cut"
  let asked = "";
  let reading = null;
  let drawing = null;
  let chosen = null;
  let timer = null;
  let request = null;

  function say(sentence, problem = false) {
    const state = byId("state");
    state.textContent = sentence;
    state.classList.toggle("problem", problem);
  }

  const placesOf = (kind) => [...decided].filter(([, own]) => own === kind).map(([end]) => end);

  // A newer question makes an older one void; what goes wrong is told where the reader looks.
  async function ask(complain) {
    request?.abort();
    const own = new AbortController();
    request = own;
    marked.classList.add("waiting");
    try {
      const response = await fetch("api/read", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ text: asked, join: placesOf("join"), cut: placesOf("cut") }),
        signal: own.signal,
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.detail);
      return answer;
    } catch (error) {
      if (error.name === "AbortError") return null;
      const gone = error instanceof TypeError;
      complain(gone ? "The server does not answer; is it still running?" : error.message);
      return null;
    } finally {
      if (request === own) marked.classList.remove("waiting");
    }
  }

  async function read() {
    clearTimeout(timer);
    if (!text.value.trim()) {
      say("Write something first.");
      return;
    }
    if (text.value === asked && reading) return;
    asked = text.value;
    decided.clear();
    chosen = null;
    say("Reading …");
    const answer = await ask((sentence) => say(sentence, true));
    if (!answer) {
      reading = null;
      return;
    }
    say("");
    show(answer);
  }

  async function decide(changes, place = null) {
    const before = new Map(decided);
    changes.forEach(([end, kind]) => (kind ? decided.set(end, kind) : decided.delete(end)));
    const answer = await ask(tell);
    if (!answer) {
      decided.clear();
      before.forEach((kind, end) => decided.set(end, kind));
      return;
    }
    show(answer);
    if (place !== null) drawing.seams[place]?.focus();
  }

  // A second click at the same place takes the decision back.
  function clicked(end, kind, place) {
    const again = decided.has(end) && decided.get(end) !== kind;
    decide([[end, again ? null : kind]], place);
  }

  const tell = (sentence) => (byId("detail").textContent = sentence);

  function show(answer) {
    reading = answer;
    byId("reading").hidden = false;
    drawing = drawReading(marked, reading, decided, { decide: clicked, tell, choose });
    const phrases = reading.segmented.segments.filter((segment) => segment.words > 1).length;
    const known = reading.words.length;
    byId("facts").textContent = known
      ? `${known.toLocaleString("en")} known ${known === 1 ? "word" : "words"} · ${phrases} ${phrases === 1 ? "phrase" : "phrases"}` +
        (decided.size ? ` · ${decided.size} decided by you` : "")
      : "The model knows none of these words, so there is nothing to mark.";
    byId("undo").disabled = decided.size === 0;
    tell(drawing.seams.length ? "Point at a phrase, or at the place between two words." : "");
    const widest = reading.spans.findIndex((span) => span.alternatives.length > 1);
    choose(chosen ?? (widest < 0 ? null : widest));
    showTopics();
    showSimilar();
  }

  function bar(length, topic = null) {
    const drawnBar = element("span", { class: "bar", "aria-hidden": "true" });
    drawnBar.style.setProperty("--length", length);
    return topic === null ? drawnBar : coloured(drawnBar, topic);
  }

  function choose(number) {
    chosen = number;
    const ways = byId("ways");
    const about = byId("ways-about");
    drawing.highlight(number);
    if (number === null || !reading.spans[number]) {
      ways.replaceChildren();
      about.textContent = "Nothing here can be cut in another way.";
      return;
    }
    const span = reading.spans[number];
    about.textContent = span.alternatives.length > 1
      ? "Ways to cut these words, with their probabilities; choose one to keep it."
      : "These words can be cut in one way only, or you have decided it.";
    ways.replaceChildren(
      ...span.alternatives.map(({ probability, ends }) => {
        const button = element("button", { type: "button", class: "way" }, isolated(drawing.bracketed(span, ends)));
        button.addEventListener("click", () => keep(span, ends));
        return element("li", {}, button, element("span", { class: "probability" }, smallPercent(probability)), bar(probability));
      }),
    );
  }

  // All boundaries inside a span, as one of its segmentations has them.
  function keep(span, ends) {
    const cut = new Set(ends);
    const changes = [];
    for (let i = span.first; i < span.last; i += 1) {
      changes.push([reading.words[i].end, cut.has(i) ? "cut" : "join"]);
    }
    if (changes.length) decide(changes);
  }

  function showTopics() {
    const shares = reading.segmented.topics.map((share, topic) => [topic, share]).sort((one, other) => other[1] - one[1]);
    const told = shares.filter(([, share], place) => place === 0 || (place < 5 && share >= 0.02));
    const whole = element("div", { class: "shares", "aria-hidden": "true" });
    told.forEach(([topic, share]) => {
      const part = coloured(element("span"), topic);
      part.style.setProperty("--length", share);
      whole.append(part);
    });
    byId("shares").replaceChildren(whole);
    byId("topic-list").replaceChildren(
      ...told.map(([topic, share]) => {
        const { label, phrases } = data.topics[topic];
        const name = element("span", {}, coloured(element("span", { class: "swatch" }), topic), isolated(label));
        const more = phrases.filter((phrase) => !label.split(", ").includes(phrase)).slice(0, 5);
        if (more.length) name.append(element("small", { class: "snippet" }, isolated(more.join(", "))));
        return element("li", {}, name, element("span", { class: "probability" }, percent(share)));
      }),
    );
  }

  function showSimilar() {
    byId("similar").replaceChildren(
      ...reading.similar.map((one) =>
        element(
          "li",
          {},
          element("span", { class: "row-head" }, element("strong", {}, isolated(one.id)), element("span", { class: "probability" }, percent(one.affinity))),
          element("span", { class: "snippet" }, isolated(one.begins)),
        ),
      ),
    );
  }

  byId("paper").addEventListener("submit", (event) => {
    event.preventDefault();
    read();
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) read();
  });
  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(read, PAUSE);
  });
  byId("example")?.addEventListener("click", () => {
    text.value = data.example;
    read();
  });
  byId("undo").addEventListener("click", () => {
    decide([...decided.keys()].map((end) => [end, null]), 0);
  });
}
