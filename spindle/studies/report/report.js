// Shows the claims that meet what is chosen above their table; without it all are shown.
const rows = [...document.querySelectorAll("#all tbody tr")];
const filter = document.getElementById("filter");
function show() {
  const [machine, role, verdict, text] = [...filter.querySelectorAll("select, input")].map(each => each.value);
  const meets = row => (!machine || row.dataset.machine === machine) && (!role || row.dataset.role === role)
    && (!verdict || row.dataset.verdict === verdict) && row.textContent.toLowerCase().includes(text.toLowerCase());
  for (const row of rows) row.hidden = !meets(row);
  filter.querySelector("output").textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length}`;
}
if (filter) {
  filter.hidden = false;
  filter.addEventListener("input", show);
  filter.addEventListener("submit", event => event.preventDefault());
  show();
}
// A page from a file has no workers: from there, links lead to where spindle play serves.
for (const link of location.protocol === "file:" ? document.querySelectorAll("a.play") : []) {
  link.href = `http://127.0.0.1:8047/play/${link.hash}`;
}
