// A chart that is read along its horizontal axis, by pointer or by arrow keys, as a slider.
// `read` is told the place that is pointed at, or null when the pointer has left.
function readAlong(frame, places, now, read) {
  const svg = frame.querySelector("svg");
  frame.tabIndex = 0;
  frame.setAttribute("role", "slider");
  frame.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
    const distances = places.map((place) => Math.abs(place - x));
    read(distances.indexOf(Math.min(...distances)));
  });
  frame.addEventListener("pointerleave", () => read(null));
  frame.addEventListener("keydown", (event) => {
    const target = step(event, now(), places.length);
    if (target !== null) read(target);
  });
}

function tellSlider(frame, { least, most, value, text }) {
  frame.setAttribute("aria-valuemin", least);
  frame.setAttribute("aria-valuemax", most);
  frame.setAttribute("aria-valuenow", value);
  frame.setAttribute("aria-valuetext", text);
}
