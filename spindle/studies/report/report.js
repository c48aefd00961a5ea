// Shows the claims that meet what is chosen above their table, in the order of a column; without it all are shown.
const rows = [...document.querySelectorAll("#all tbody tr")];
const filter = document.getElementById("filter");
function show() {
  const [machine, role, verdict, text] = [...filter.querySelectorAll("select, input")].map(each => each.value);
  const meets = row => (!machine || row.dataset.machine === machine) && (!role || (role.startsWith("-") ? row.dataset.role !== role.slice(1) : row.dataset.role === role))
    && (!verdict || row.dataset.verdict === verdict) && row.textContent.toLowerCase().includes(text.toLowerCase());
  for (const row of rows) row.hidden = !meets(row);
  filter.querySelector("output").textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length}`;
}
function cell(row, column) {
  const value = row.children[column].dataset.value;
  return value === undefined ? row.children[column].textContent.toLowerCase() : parseFloat(value);
}
function compare(one, other) {
  if (typeof one === "string") return one.localeCompare(other, "en", { numeric: true });
  return isNaN(one) || isNaN(other) ? isNaN(one) - isNaN(other) : one - other;
}
function order(head, column) {
  const down = head.ariaSort === "ascending";
  for (const each of head.parentElement.children) each.ariaSort = null;
  head.ariaSort = down ? "descending" : "ascending";
  rows.sort((one, other) => compare(cell(one, column), cell(other, column)) * (down ? -1 : 1));
  document.querySelector("#all tbody").append(...rows);
}
for (const [column, head] of [...document.querySelectorAll("#all thead th")].entries()) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  button.addEventListener("click", () => order(head, column));
  head.append(button);
}
if (filter) {
  filter.hidden = false;
  filter.addEventListener("input", show);
  filter.addEventListener("submit", event => event.preventDefault());
  show();
}
// The list of figures keeps those that have all the words.
const find = document.getElementById("find");
find?.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\s+/);
  for (const item of document.querySelectorAll("#figures li")) {
    const text = `${item.textContent} ${item.dataset.words}`.toLowerCase();
    item.hidden = !words.every(word => text.includes(word));
  }
});
for (const link of document.querySelectorAll('a[href="#figures"]')) {
  link.addEventListener("click", () => { document.getElementById("figures").open = true; });
}
// A page from a file has no workers: from there, links lead to where spindle play serves.
for (const link of location.protocol === "file:" ? document.querySelectorAll("a.play") : []) {
  link.href = `http://127.0.0.1:8047/play/${link.hash}`;
}
