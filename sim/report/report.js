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
