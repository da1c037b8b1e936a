// The conversation with the server: a text goes out, a reading comes back and is shown.
{
  const PAUSE = 500; // milliseconds after the last letter before a text is read
  const text = byId("text");
  const marked = byId("marked");
  const decisions = { marked: new Map(), best: new Map() }; // end of a word -> "join" or "cut"
  let view = data.view;
  let decided = decisions[view];
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
        body: JSON.stringify({ text: asked, phrases: view, join: placesOf("join"), cut: placesOf("cut") }),
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
    Object.values(decisions).forEach((own) => own.clear());
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

  // The same text in another view; each has its own decisions.
  async function turnTo(wanted) {
    [view, decided, chosen] = [wanted, decisions[wanted], null];
    const answer = await ask(tell);
    if (answer) show(answer);
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
    marked.dataset.view = view;
    document.querySelectorAll("p[data-view]").forEach((about) => (about.hidden = about.dataset.view !== view));
    byId("facts").textContent = facts();
    byId("undo").disabled = decided.size === 0;
    tell(drawing.seams.length ? "Point at a phrase, or at the place between two words." : "");
    const [first, last] = chosen ?? firstChoice();
    choose(first, last);
    showTopics();
    showSimilar();
  }

  const several = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  function facts() {
    const phrases = reading.segmented.segments.filter((segment) => segment.words > 1).length;
    if (!reading.words.length) return "The model knows none of these words, so there is nothing to mark.";
    const noun = view === "marked" ? "phrase" : "segment";
    const told = [
      several(reading.words.length, view === "marked" ? "word" : "known word"),
      view === "marked" ? several(phrases, noun) : `${several(phrases, noun)} of several words`,
      ...(decided.size ? [`${decided.size} decided by you`] : []),
    ];
    return told.join(" · ");
  }

  // Words whose alternatives are shown before anything is chosen.
  function firstChoice() {
    if (view === "marked") return drawing.wordsOf[0] ?? [null, null];
    const span = reading.spans.find(({ alternatives }) => alternatives.length > 1);
    return span ? [span.first, span.last] : [null, null];
  }

  function bar(length, topic = null) {
    const drawnBar = element("span", { class: "bar", "aria-hidden": "true" });
    drawnBar.style.setProperty("--length", length);
    return topic === null ? drawnBar : coloured(drawnBar, topic);
  }

  function choose(first, last) {
    chosen = first === null ? null : [first, last];
    const { about, ways } = chosen
      ? waysToRead(reading, drawing, first, last)
      : { about: "Nothing here can be read in another way.", ways: [] };
    const span = chosen && view === "best" ? drawing.spanOf(first) : { first, last };
    drawing.highlight(span.first ?? Infinity, span.last ?? -1);
    byId("ways-about").textContent = about;
    byId("ways").replaceChildren(
      ...ways.map((way) => {
        const button = element("button", { type: "button", class: "way" }, isolated(way.text));
        button.addEventListener("click", () => way.decides.length && decide(way.decides));
        return element("li", {}, button, element("span", { class: "probability" }, smallPercent(way.probability)), bar(way.probability));
      }),
    );
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

  byId("views").append(viewSwitch("What is marked", VIEWS, view, turnTo));
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
