// A worker of the page: Python with Spindle in it, which plans, computes and films what it is asked, one thing at a time.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const FOLDER = "/spindle";
const BEGIN = `
import sys
sys.path.insert(0, "${FOLDER}")
`;

async function started() {
  const here = name => new URL(name, import.meta.url).href;
  const source = fetch(here("spindle.zip")).then(answer => {
    if (!answer.ok) throw new Error(`spindle.zip: ${answer.status}`);
    return answer.arrayBuffer();
  });
  const pyodide = await loadPyodide({ indexURL: here("pyodide/") });
  pyodide.unpackArchive(await source, "zip", { extractDir: FOLDER });
  pyodide.runPython(BEGIN);
  pyodide.pyimport("spindle.web.play.worker");
  return pyodide;
}

const python = started();
python.then(() => postMessage({ ready: true }), error => postMessage({ failed: String(error.message ?? error) }));

onmessage = async ({ data: { id, ask, text } }) => {
  const pyodide = await python, tell = share => postMessage({ id, share });
  try {
    const module = pyodide.pyimport("spindle.web.play.worker");
    const answer = ask === "plan" ? module.plan(text) : module[ask](text, tell);
    postMessage({ id, answer: JSON.parse(answer) });
  } catch (error) {
    postMessage({ id, answer: { error: `the run broke down: ${String(error.message ?? error).trim().split("\n").pop()}` } });
  }
};
