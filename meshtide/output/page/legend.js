// The list of parts. Names come from strangers' files: they are only ever set as text.

const percent = (share, digits = 0) => (share === null ? "–" : `${(100 * share).toFixed(digits)} %`);

// Tells small shares from none.
function shareText(share) {
  return share > 0 && share < 0.001 ? "< 0.1 %" : percent(share, 1);
}

function element(kind, className, text = "") {
  const made = document.createElement(kind);
  made.className = className;
  made.textContent = text;
  return made;
}

class Legend {
  // On toggle, alone and light the page is told the part's number; -1 is none.
  constructor(list, {toggle, alone, light}) {
    this.list = list;
    this.actions = {toggle, alone, light};
  }

  load(parts) {
    this.parts = parts;
    this.rows = parts.map((part, number) => this.row(part, number));
    this.list.replaceChildren(...this.rows.map(({item}) => item));
  }

  row(part, number) {
    const {toggle, alone, light} = this.actions;
    const button = element("button", "");
    const patch = element("span", "patch"), figure = element("span", "figure");
    const name = element("span", "name", part.name);
    button.type = "button";
    button.title = part.name;
    patch.style.backgroundColor = part.colour;
    name.dir = "auto";
    button.append(patch, name, figure);
    // The two clicks before a double click undo each other.
    button.addEventListener("click", () => toggle(number));
    button.addEventListener("dblclick", () => alone(number));
    for (const kind of ["pointerenter", "focus"]) button.addEventListener(kind, (event) => {
      if (event.pointerType !== "touch" && (kind !== "focus" || button.matches(":focus-visible"))) light(number);
    });
    for (const kind of ["pointerleave", "blur"]) button.addEventListener(kind, () => light(-1));
    const item = document.createElement("li");
    item.append(button);
    return {item, button, figure};
  }

  show({mode, hidden, under}) {
    this.rows.forEach(({button, figure}, number) => {
      const part = this.parts[number];
      button.setAttribute("aria-pressed", String(!hidden.has(number)));
      button.classList.toggle("lit", under === number);
      figure.textContent = mode === "confidence" ? percent(part.confidence) : shareText(part.share);
    });
  }
}
