// A table whose rows lead somewhere. Cells become text nodes, never HTML.
const TABLES = new WeakMap();

function node(tag, attributes = {}, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false && value !== "") out.setAttribute(name, String(value));
  }
  out.append(...children.filter((c) => c !== null));
  return out;
}

function compare(a, b) {
  const none = (v) => v === null || v === undefined || v === "";
  if (none(a) || none(b)) return none(a) - none(b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true, sensitivity: "base" });
}

function sorted(view) {
  const { rows } = view.data;
  if (view.by === null) return rows;
  const key = (row) => row.cells[view.by].sort ?? row.cells[view.by].text;
  const out = [...rows].sort((a, b) => compare(key(a), key(b)));
  const empty = out.filter((row) => compare(key(row), null) === 0);
  const filled = out.filter((row) => compare(key(row), null) !== 0);
  return view.down ? [...filled.reverse(), ...empty] : [...filled, ...empty];
}

function heading(view, column, i) {
  const classes = column.number ? "number" : "";
  if (!view.data.sortable || !column.label.trim()) return node("th", { scope: "col", class: classes }, column.label);
  const on = view.by === i;
  const arrow = on ? (view.down ? " ▼" : " ▲") : "";
  const press = node("button", { type: "button", title: column.hint || `${view.data.sort_label} ${column.label}` }, column.label + arrow);
  press.addEventListener("click", () => {
    view.down = on ? !view.down : column.number;
    view.by = i;
    draw(view);
    view.root.querySelectorAll("thead button")[i]?.focus();
  });
  return node("th", { scope: "col", class: classes, "aria-sort": on ? (view.down ? "descending" : "ascending") : "none" }, press);
}

function line(view, row) {
  const { columns, action } = view.data;
  const tr = node("tr", { class: `${row.id ? "leads" : ""} ${row.muted ? "muted" : ""}`.trim() });
  const first = row.cells.findIndex((_, i) => columns[i].lead);
  row.cells.forEach((cell, i) => {
    const column = columns[i];
    const td = node("td", { class: `${column.number ? "number" : ""} ${column.lead ? "lead" : ""} ${column.lead || column.wide ? "wide" : ""} ${cell.kind}`.trim(), "data-label": column.label });
    if (row.id && i === Math.max(0, first)) {
      const press = node("button", { type: "button", "aria-label": `${action}: ${cell.text}` }, cell.text || "–");
      press.addEventListener("click", (event) => {
        event.stopPropagation();
        open(view, row);
      });
      td.append(press);
    } else if (cell.kind === "badge" && cell.text) {
      td.append(node("span", { class: "tag" }, cell.text));
    } else {
      td.append(cell.text);
    }
    if (!cell.text) td.classList.add("empty");
    tr.append(td);
  });
  if (row.id) tr.addEventListener("click", () => open(view, row));
  return tr;
}

function open(view, row) {
  if (!window.getSelection()?.toString()) view.component.setTriggerValue("open", row.id);
}

function draw(view) {
  const { columns, caption } = view.data;
  const head = node("thead", {}, node("tr", {}, ...columns.map((c, i) => heading(view, c, i))));
  const body = node("tbody", {}, ...sorted(view).map((row) => line(view, row)));
  view.root.replaceChildren(node("table", {}, node("caption", { class: "sr" }, caption), head, body));
}

function dark(root) {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = "#ffffff";
  probe.fillStyle = getComputedStyle(root).getPropertyValue("--st-background-color").trim() || "#ffffff";
  const n = parseInt(probe.fillStyle.slice(1, 7), 16);
  return (n >> 16) * 0.3 + ((n >> 8) & 255) * 0.59 + (n & 255) * 0.11 < 128;
}

export default function (component) {
  const parent = component.parentElement;
  let view = TABLES.get(parent);
  if (!view) {
    view = { root: node("div", { class: "box" }), by: null, down: false, seen: null };
    parent.querySelector(".mount").replaceChildren(view.root);
    TABLES.set(parent, view);
  }
  view.component = component;
  view.root.classList.toggle("dark", dark(view.root));
  const seen = JSON.stringify(component.data);
  if (seen !== view.seen) {
    view.seen = seen;
    view.data = component.data;
    if (view.by !== null && view.by >= view.data.columns.length) view.by = null;
    draw(view);
  }
  return () => TABLES.delete(parent);
}
