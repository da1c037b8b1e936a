// A click on a segment plays its piece of the sound.
for (const article of document.querySelectorAll(".utterance")) {
  const sound = article.querySelector("audio");
  if (!sound) continue;
  let end = Infinity, playing = null;
  const stop = () => {
    if (playing) playing.classList.remove("playing");
    playing = null;
    end = Infinity;
  };
  const watch = () => {
    if (sound.currentTime >= end) { sound.pause(); stop(); }
    if (playing) requestAnimationFrame(watch);
  };
  const play = (said) => {
    stop();
    sound.currentTime = Number(said.dataset.begin);
    end = Number(said.dataset.end);
    playing = said;
    said.classList.add("playing");
    sound.play().then(watch, stop);
  };
  sound.addEventListener("ended", stop);
  for (const said of article.querySelectorAll(".said[role=button]")) {
    said.addEventListener("click", () => play(said));
    said.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); play(said); }
    });
  }
}
