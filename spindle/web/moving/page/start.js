// Begins the moving picture of a page that has its film within it.
import { MovingPicture } from "./view.js";

window.picture = new MovingPicture(document.getElementById("moving"), JSON.parse(document.getElementById("film").textContent), { play: true });
