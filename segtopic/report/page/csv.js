// Tables as CSV, made on the page and saved by the browser: nothing is sent anywhere.
// Text that a spreadsheet would take for a formula gets an apostrophe; numbers stay numbers.
const FORMULA = /^(?:\s*[=+\-@|%＝＋－＠]|[\t\r\n])/u;

function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// One object a row, all with the same names.
function csvText(rows) {
  const names = rows.length ? Object.keys(rows[0]) : [];
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
}

// A button that saves what `rows` gives when it is pressed. The mark at the beginning tells
// spreadsheets that the letters are UTF-8.
function offerCsv(button, name, rows) {
  button.addEventListener("click", () => {
    const file = new Blob(["\ufeff", csvText(rows())], { type: "text/csv" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `${name}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  });
}

const csvButton = (name) => document.querySelector(`[data-csv="${name}"]`);
