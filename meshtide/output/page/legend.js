// The list of parts and their pieces. Names come from strangers' files: they are only ever set as text.

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

function button(className, text, act) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

// What can be chosen, hidden or lit is a target: one piece, {part, piece}, or all of a part, where piece is -1.
class Legend {
  constructor(list, {toggle, alone, choose, light}) {
    this.list = list;
    this.actions = {toggle, alone, choose, light};
    list.addEventListener("keydown", (event) => this.hearKey(event));
  }

  load(shape) {
    this.shape = shape;
    this.rows = shape.parts.map((part, number) => this.partRow(part, number));
    this.list.replaceChildren(...this.rows.map(({item}) => item));
  }

  partRow(part, number) {
    const own = this.shape.pieces[number], row = this.row(part, {part: number, piece: -1}, own);
    row.pieces = [];
    if (own.length < 2) return row;
    const inner = element("ul", "pieces");
    inner.hidden = true;
    row.item.append(inner);
    row.count.textContent = `× ${own.length}`;
    // The rows of pieces are made when they are first looked at: there may be thousands.
    row.open = (wanted) => {
      if (wanted && !row.pieces.length) {
        row.pieces = own.map((piece) => this.row(this.shape.instances[piece], {part: number, piece}, [piece]));
        inner.append(...row.pieces.map(({item}) => item));
        if (this.state) row.pieces.forEach((each) => this.showRow(each));
      }
      inner.hidden = !wanted;
      fold.setAttribute("aria-expanded", String(wanted));
    };
    const fold = button("fold", "", () => row.open(inner.hidden));
    fold.setAttribute("aria-expanded", "false");
    fold.setAttribute("aria-label", `pieces of ${part.name}`);
    row.line.firstChild.replaceWith(fold);
    return row;
  }

  row(told, target, members) {
    const {toggle, alone, choose, light} = this.actions;
    const item = document.createElement("li"), line = element("div", "line");
    const patch = element("span", "patch"), name = element("span", "name", told.name), count = element("span", "count");
    // The two clicks before a double click choose what is already chosen.
    const pick = button("pick", "", () => choose(target));
    const eye = button("eye", "", () => toggle(target));
    name.dir = "auto";
    pick.title = told.name;
    pick.append(patch, name, count);
    pick.addEventListener("dblclick", () => alone(target));
    eye.append(find("eye").content.firstElementChild.cloneNode(true));
    eye.setAttribute("aria-label", `show ${told.name}`);
    line.append(element("span", "fold"), pick, element("span", "figure share", shareText(told.share)),
      element("span", "figure sure", percent(told.confidence)), eye);
    line.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && light(target));
    line.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && light(target));
    for (const kind of ["pointerleave", "focusout"]) line.addEventListener(kind, () => light(null));
    item.append(line);
    return {item, line, pick, eye, patch, count, told, target, members};
  }

  show(state) {
    this.state = state;
    for (const row of this.rows) [row, ...row.pieces].forEach((each) => this.showRow(each));
  }

  showRow({line, pick, eye, patch, told, target, members}) {
    const {hidden, chosen, under, mode} = this.state;
    const gone = members.filter((piece) => hidden.has(piece)).length;
    const same = (other) => other !== null && other.part === target.part && other.piece === target.piece;
    const single = target.piece < 0 && members.length === 1;
    eye.setAttribute("aria-pressed", gone === 0 ? "true" : gone < members.length ? "mixed" : "false");
    line.classList.toggle("off", gone > 0 && gone === members.length);
    line.classList.toggle("lit", members.includes(under));
    line.classList.toggle("chosen", same(chosen) || (single && chosen !== null && members.includes(chosen.piece)));
    pick.setAttribute("aria-pressed", String(line.classList.contains("chosen")));
    const piece = target.piece >= 0 && mode === "instances";
    patch.style.backgroundColor = piece ? told.colour : this.shape.parts[target.part].colour;
  }

  // Makes the row of a target visible in the list, without moving the page around it.
  reveal({part, piece}) {
    const row = this.rows[part], own = this.shape.pieces[part];
    if (piece >= 0 && row.open) row.open(true);
    const wanted = piece >= 0 && row.open ? row.pieces[own.indexOf(piece)] : row;
    const line = wanted.line.getBoundingClientRect(), list = this.list.getBoundingClientRect();
    this.list.scrollTop += Math.min(0, line.top - list.top) + Math.max(0, line.bottom - list.bottom);
  }

  // Up and down go from row to row, right and left open and close a part.
  hearKey(event) {
    const steps = {ArrowDown: 1, ArrowUp: -1}, line = event.target.closest(".line");
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = this.rows.find((each) => each.item.contains(line));
    if (event.key in steps) {
      const all = [...this.list.querySelectorAll(".pick")].filter((each) => each.offsetParent !== null);
      const next = all[all.indexOf(line.querySelector(".pick")) + steps[event.key]];
      if (next) next.focus();
    } else if (row.open && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      row.open(event.key === "ArrowRight");
      if (event.key === "ArrowLeft") row.pick.focus();
    } else return;
    event.preventDefault();
  }
}
