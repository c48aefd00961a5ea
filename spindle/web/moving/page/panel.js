// A canvas with a name and a legend, sharp at any width, and what can be pointed at in it.

export const element = (name, attributes = {}, ...children) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
};
export const set = (node, text) => { if (node.textContent !== text) node.textContent = text; };

// `draw` gets a context, its size and an instant, and returns its spots; `height` is that of a width.
export class Panel {
  constructor(title, height, draw) {
    this.canvas = element("canvas", { className: "moving-canvas", role: "img", ariaLabel: title });
    this.legend = element("ul", { className: "moving-legend", ariaLabel: `Colours: ${title}` });
    this.figure = element("figure", {}, element("figcaption", { textContent: title }), this.canvas, this.legend);
    Object.assign(this, { height, draw, spots: [], width: 0 });
    new ResizeObserver(() => this.fit()).observe(this.canvas);
  }

  fit() {
    const width = this.canvas.clientWidth, tall = this.height(width), sharp = Math.min(2, devicePixelRatio || 1);
    if (!width || (width === this.width && tall === this.tall && sharp === this.sharp)) return;
    Object.assign(this, { width, tall, sharp });
    this.canvas.style.height = `${tall}px`;
    this.canvas.width = Math.round(width * sharp);
    this.canvas.height = Math.round(tall * sharp);
    this.stale = true;
  }

  show(t) {
    if (!this.width) return;
    const context = this.canvas.getContext("2d");
    context.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    context.clearRect(0, 0, this.width, this.tall);
    this.spots = this.draw(context, this.width, this.tall, t) ?? [];
    this.stale = false;
  }

  // What is at a point: the nearest of the round spots, or the last of the square ones.
  at(x, y) {
    let best = null, near = Infinity;
    for (const spot of this.spots) {
      if (spot.width !== undefined) {
        if (x >= spot.x && y >= spot.y && x < spot.x + spot.width && y < spot.y + spot.height && near === Infinity) best = spot;
      } else {
        const far = Math.hypot(x - spot.x, y - spot.y);
        if (far <= spot.r && far < near) [best, near] = [spot, far];
      }
    }
    return best ? (typeof best.says === "function" ? best.says() : best.says) : "";
  }

  colours(entries) {
    this.entries = new Map(entries.map(([name, colour]) => {
      const mark = element("span", { className: "moving-mark" }), words = element("span", { textContent: name });
      mark.style.background = colour;
      this.legend.append(element("li", {}, mark, words));
      return [name, words];
    }));
  }
}
