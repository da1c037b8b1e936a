// Light or dark: what the system asks for, until the reader chooses.
{
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : system.matches;
  };
  const tell = () => {
    button.textContent = isDark() ? "Light mode" : "Dark mode";
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    tell();
  });
  system.addEventListener("change", tell);
  button.hidden = false;
  tell();
}
