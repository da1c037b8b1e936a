// Training curves: one epoch is read off all charts at once, by pointer or by arrow keys.
if (data.curves) {
  const { epochs, charts, best } = data.curves;
  const frames = [...document.querySelectorAll(".curve")];
  const kept = Math.max(epochs.indexOf(best), 0);
  let now = kept;

  const show = (place) => {
    frames.forEach((frame, number) => {
      const { places, lines } = charts[number];
      const read = lines.map((line) => `${line.name} ${line.values[place] || "unknown"}`);
      const cursor = frame.querySelector(".cursor");
      const x = places[place];
      cursor.replaceChildren();
      if (place !== kept) cursor.append(drawn("path", { d: `M${x} 12V168` }));
      lines.forEach((line, index) => {
        if (line.heights[place] !== null) {
          const dot = { cx: x, cy: line.heights[place], r: 4, class: `line-${index}` };
          cursor.append(drawn("circle", dot));
        }
      });
      frame.setAttribute("aria-valuenow", epochs[place]);
      frame.setAttribute("aria-valuetext", `epoch ${epochs[place]}: ${read.join(", ")}`);
      const figure = frame.closest("figure");
      figure.querySelectorAll("output").forEach((output, index) => {
        output.textContent = lines[index].values[place];
      });
      figure.querySelector(".epoch").textContent = `epoch ${epochs[place]}`;
    });
  };

  frames.forEach((frame, number) => {
    const svg = frame.querySelector("svg");
    frame.tabIndex = 0;
    frame.setAttribute("role", "slider");
    frame.setAttribute("aria-valuemin", epochs[0]);
    frame.setAttribute("aria-valuemax", epochs[epochs.length - 1]);
    frame.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      const distances = charts[number].places.map((place) => Math.abs(place - x));
      show((now = distances.indexOf(Math.min(...distances))));
    });
    frame.addEventListener("pointerleave", () => show((now = kept)));
    frame.addEventListener("keydown", (event) => {
      const target = step(event, now, epochs.length);
      if (target !== null) show((now = target));
    });
  });
  show(kept);

  const plainNumber = (text) => (text === "" ? null : Number(text.replace("−", "-").replaceAll(",", "")));
  offerCsv(csvButton("curves"), "training", () =>
    epochs.map((epoch, place) => {
      const lines = charts.flatMap((chart) => chart.lines);
      return { epoch, ...Object.fromEntries(lines.map(({ name, values }) => [name, plainNumber(values[place])])) };
    }),
  );
}
if (data.prediction?.length) offerCsv(csvButton("prediction"), "prediction", () => data.prediction);
