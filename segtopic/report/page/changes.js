// Topics over time and by group: one value is read off all charts at once; scales can be made equal.
for (const [id, changes] of Object.entries(data.changes)) {
  const section = byId(id);
  if (!changes) continue;
  const { column, values, documents: counts, places } = changes;

  section.querySelectorAll("[data-topic]").forEach((figure) => coloured(figure, Number(figure.dataset.topic)));
  section.querySelector(".same-scale").addEventListener("change", (event) => {
    section.classList.toggle("same", event.target.checked);
    section.querySelectorAll(".drawing").forEach((drawing) => {
      drawing.setAttribute("transform", event.target.checked ? drawing.dataset.common : "");
    });
  });
  offerCsv(csvButton(id), id, () =>
    changes.topics.flatMap((topic) =>
      values.map((value, place) => ({
        [column || "value"]: value,
        documents: counts[place],
        topic: topic.topic,
        name: topic.label,
        share: topic.share[place],
        low: topic.low[place],
        high: topic.high[place],
        phrases: topic.phrases[place],
      })),
    ),
  );

  const frames = [...section.querySelectorAll(".curve")];
  let now = values.length - 1;
  const show = (place) => {
    now = place ?? values.length - 1;
    frames.forEach((frame, number) => {
      const { words, phrases } = changes.topics[number];
      const told = `${values[now]}: ${words[now]}`;
      frame.querySelector(".at").setAttribute("d", place === null ? "" : `M${places[now]} 10V94`);
      tellSlider(frame, { least: 0, most: values.length - 1, value: now, text: [told, phrases[now]].filter(Boolean).join("; ") });
      const figure = frame.closest("figure");
      figure.querySelector(".value").textContent = told;
      figure.querySelector(".spoken").replaceChildren(isolated(phrases[now]));
    });
  };
  frames.forEach((frame) => readAlong(frame, places, () => now, show));
  show(null);
}
