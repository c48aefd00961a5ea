// What is wanted, as the words behind # in the address: #hp3000?caching=false&vary=terminals&values=21,42&seeds=3&watch=42&window=60s:10s

const OWN = ["vary", "values", "seeds", "script", "watch", "window"];
const MAX_CHARACTERS = 200_000;

export function read(hash) {
  const text = hash.replace(/^#/, "");
  if (text.length > MAX_CHARACTERS) return { trouble: "The address is too long; the machine is as it is at first." };
  const [system, query = ""] = text.split(/\?(.*)/s);
  const words = new URLSearchParams(query);
  const request = { system: decodeURIComponentSafely(system), given: {}, vary: "", values: [], seeds: 1, files: {}, watch: words.get("watch") ?? "", window: words.get("window") ?? "" };
  for (const [name, value] of words) if (!OWN.includes(name)) request.given[name] = value;
  request.vary = words.get("vary") ?? "";
  request.values = split(words.get("values") ?? "");
  const seeds = words.get("seeds") ?? "1";
  if (!/^([1-9]|10)$/.test(seeds)) return { trouble: `seeds must be a whole number from 1 to 10, not ${seeds.slice(0, 20)}.` };
  request.seeds = Number(seeds);
  try {
    const files = JSON.parse(words.get("script") ?? "{}");
    if (Object.values(files).some(each => typeof each !== "string")) throw new TypeError();
    request.files = files;
  } catch {
    return { trouble: "The script in the address cannot be read." };
  }
  return request;
}

function decodeURIComponentSafely(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const split = text => text.split(",").map(each => each.trim()).filter(Boolean);

export function written({ system, given, vary, values, seeds, files }, film = {}) {
  const words = new URLSearchParams(given);
  if (vary) {
    words.set("vary", vary);
    words.set("values", values.join(","));
  }
  if (seeds > 1) words.set("seeds", seeds);
  if (Object.keys(files).length) words.set("script", JSON.stringify(files));
  for (const [name, text] of Object.entries(film)) if (text) words.set(name, text);
  const query = words.toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
  return `#${system}${query ? `?${query}` : ""}`;
}
