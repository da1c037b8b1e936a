// Training curves: one epoch is read off all charts at once, by pointer or by arrow keys.
if (data.curves) {
  const { epochs, charts, best } = data.curves;
  const frames = [...document.querySelectorAll("#training .curve")];
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
      tellSlider(frame, {
        least: epochs[0],
        most: epochs[epochs.length - 1],
        value: epochs[place],
        text: `epoch ${epochs[place]}: ${read.join(", ")}`,
      });
      const figure = frame.closest("figure");
      figure.querySelectorAll("output").forEach((output, index) => {
        output.textContent = lines[index].values[place];
      });
      figure.querySelector(".epoch").textContent = `epoch ${epochs[place]}`;
    });
  };

  frames.forEach((frame, number) => {
    readAlong(frame, charts[number].places, () => now, (place) => show((now = place ?? kept)));
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
