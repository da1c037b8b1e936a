// A choice between views, as radio buttons in a row.
function viewSwitch(legend, choices, chosen, choose) {
  const row = element("fieldset", { class: "switch" }, element("legend", { class: "unseen" }, legend));
  choices.forEach(([value, name]) => {
    const button = element("input", { type: "radio", name: "view", value, checked: value === chosen });
    button.addEventListener("change", () => choose(value));
    row.append(element("label", {}, button, name));
  });
  return row;
}

const VIEWS = [["marked", "Phrases"], ["best", "Segments"]];
