"use strict";
// Draws each long list and picture when it scrolls into view, and keeps filters and selections in the address.

const DATA = JSON.parse(document.getElementById("data").textContent);
const AT_ONCE = 50;

// Returns an element with attributes and children; strings become text nodes.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    else if (value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((each) => each !== null && each !== ""));
  return element;
}

const badge = (state) => make("span", { class: `badge ${state.replace(" ", "-")}` }, state);
const plural = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
const short = (name) => name.replace(/^torch\./, "");

// ---------------------------------------------------------------- the address

// Returns text with percent escapes decoded, or unchanged if they are invalid.
function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// An address is #section, #section?name=value&..., or # and the id of a divergence.
function address() {
  const hash = location.hash.slice(1);
  const end = hash.includes("?") ? hash.indexOf("?") : hash.length;
  return { section: unescaped(hash.slice(0, end)), query: new URLSearchParams(hash.slice(end + 1)) };
}

function setAddress(section, values) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
  history.replaceState(null, "", `#${section}${query.size ? `?${query}` : ""}`);
}

// ---------------------------------------------------------------- copying

async function copy(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = label; }, 1500);
}

function snippet(text, label) {
  const button = make("button", { type: "button", "aria-live": "polite", "aria-label": label }, "Copy");
  button.addEventListener("click", () => copy(text, button));
  return make("div", { class: "snippet" }, button, make("pre", { tabindex: "0" }, text));
}

// ---------------------------------------------------------------- filters

// Returns a form with the values of the address; `change` is called with them.
function filters(section, fields, change) {
  const values = () => Object.fromEntries(fields.map(({ name }) => [name, form.elements[name].value]));
  const changed = () => { setAddress(section, values()); change(values()); };
  const form = make("form", { class: "filters", role: "search", "aria-label": `Filter: ${section}`,
    on: { submit: (event) => event.preventDefault() } },
    fields.map(({ name, label, options }) => make("label", { class: options ? null : "wide" }, label,
      options
        ? make("select", { name, on: { change: changed } },
            make("option", { value: "" }, "all"), options.map((each) => make("option", { value: each }, each)))
        : make("input", { name, type: "search", autocomplete: "off", on: { input: changed } }))),
    make("button", { type: "reset", on: { click: () => setTimeout(changed) } }, "Clear"));
  return {
    form,
    values,
    take(query) {
      for (const { name } of fields) {
        const value = query.get(name) || "";
        const field = form.elements[name];
        if (value && field.tagName === "SELECT" && ![...field.options].some((each) => each.value === value)) {
          field.append(make("option", { value }, value));
        }
        field.value = value;
      }
      change(values());
    },
  };
}

const distinct = (rows, key) => [...new Set(rows.flatMap((row) => row[key]))].sort();

// Returns a list of the first rows, with a button for more.
function growing(rows, draw, what) {
  const list = make("div");
  const more = make("button", { type: "button" });
  let shown = 0;
  const grow = (to) => {
    list.append(...rows.slice(shown, to).map(draw));
    shown = Math.min(to, rows.length);
    more.hidden = shown >= rows.length;
    more.textContent = `Show ${Math.min(AT_ONCE, rows.length - shown)} more of ${plural(rows.length - shown, what)}`;
  };
  more.addEventListener("click", () => grow(shown + AT_ONCE));
  grow(AT_ONCE);
  return { nodes: [list, more], upTo: (row) => grow(Math.max(shown, rows.indexOf(row) + 1)) };
}

// ---------------------------------------------------------------- divergences

const BY_ID = new Map(DATA.divergences.map((each) => [each.id, each]));

// Marks the differing middle of two texts, between their common first and last words.
function marked(left, right) {
  const [a, b] = [left, right].map((text) => text.match(/\w+|\s+|[^\w\s]/g) || []);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [a, b].map((words) => {
    const middle = words.slice(start, words.length - end).join("");
    return [words.slice(0, start).join(""), middle ? make("mark", {}, middle) : "", end ? words.slice(words.length - end).join("") : ""];
  });
}

// Returns a table of all facets in which a case differs, this one first.
function sides(row) {
  const others = DATA.divergences.filter((each) => each !== row && each.case === row.case && each.property === row.property);
  const lines = [row, ...others].map((each) => {
    const [expected, observed] = marked(each.expected, each.observed);
    return make("tr", {}, make("th", { scope: "row" }, each.facet),
      make("td", { class: "side right", "data-side": "torch gives" }, expected),
      make("td", { class: "side theirs", "data-side": `${DATA.subject} gives` }, observed));
  });
  return make("table", { class: "sides" },
    make("caption", {}, others.length ? `The case differs in ${lines.length} facets` : "What both sides give"),
    make("thead", {}, make("tr", {}, ["facet", "torch gives", `${DATA.subject} gives`].map((each) => make("th", { scope: "col" }, each)))),
    make("tbody", {}, lines));
}

function insideDivergence(row) {
  const why = row.why === null ? null : DATA.reasons[row.why];
  return make("div", { class: "inside" },
    make("h3", {}, "Asked"), make("pre", { tabindex: "0" }, row.case), sides(row),
    why && make("p", {}, make("strong", {}, "Expected, because: "), why.reason, " ",
      make("a", { href: why.link, rel: "noreferrer" }, "source")),
    row.others && make("p", {}, `Of others, ${row.others}.`),
    row.clause.length ? make("p", {}, "Clauses: ", row.clause.flatMap((each, at) => [at ? ", " : "",
      make("a", { href: `#specification?q=${each}` }, each)])) : null,
    make("h3", {}, "On your machine"),
    snippet(row.reproduction, `Copy the reproduction of ${row.id}`),
    make("p", {}, make("a", { class: "permalink", href: `#${row.id}` }, `link to ${row.id}`)));
}

function drawDivergence(row) {
  const item = make("details", { class: "item", id: row.id },
    make("summary", {}, badge(row.status), " ", make("strong", {}, `${row.property}, ${row.facet}`), " ",
      make("span", { class: "code" }, row.case.split("\n").slice(-1)[0].slice(0, 160)), " ", make("code", { class: "quiet" }, row.id)));
  item.addEventListener("toggle", () => {
    if (item.open && item.children.length === 1) item.append(insideDivergence(row));
  });
  return item;
}

function divergences(host) {
  const rows = DATA.divergences;
  const texts = new Map();
  const text = (row) => {
    if (!texts.has(row)) {
      const words = [row.id, row.property, row.facet, row.case, row.expected, row.observed, ...row.clause];
      texts.set(row, words.join("\n").toLowerCase());
    }
    return texts.get(row);
  };
  const count = make("p", { role: "status", "aria-live": "polite" });
  const results = make("div");
  let list = null;
  const show = ({ q, status, area, property, facet, clause }) => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = rows.filter((row) => (!status || row.status === status) && (!facet || row.facet === facet)
      && (!property || row.property === property) && (!area || row.property.split(".")[0] === area)
      && (!clause || row.clause.includes(clause)) && words.every((word) => text(row).includes(word)));
    count.textContent = `${matching.length.toLocaleString("en")} of ${plural(rows.length, "divergence")}`;
    list = growing(matching, drawDivergence, "divergence");
    results.replaceChildren(...list.nodes);
  };
  const areas = [...new Set(rows.map((row) => row.property.split(".")[0]))].sort();
  const form = filters("divergences", [
    { name: "q", label: "Search id, case, answer, clause" },
    { name: "status", label: "Status", options: distinct(rows, "status") },
    { name: "area", label: "Area", options: areas },
    { name: "facet", label: "Facet", options: distinct(rows, "facet") },
    { name: "property", label: "Property", options: distinct(rows, "property") },
    { name: "clause", label: "Clause", options: distinct(rows, "clause") },
  ], show);
  host.append(form.form, count, results);
  form.take(new URLSearchParams());
  return {
    take: (query) => form.take(query),
    lacks(id) {
      form.take(new URLSearchParams());
      count.textContent = `No divergence ${id} is in this report. ${count.textContent}.`;
      host.scrollIntoView();
    },
    open(id) {
      const row = BY_ID.get(id);
      // Search for the id of a row far down, so that the rows before it are not drawn.
      const isFar = rows.indexOf(row) >= 4 * AT_ONCE;
      form.take(new URLSearchParams(isFar ? { q: id } : {}));
      list.upTo(row);
      const item = document.getElementById(id);
      item.open = true;
      item.scrollIntoView({ block: "start" });
      item.firstElementChild.focus({ preventScroll: true });
    },
  };
}

// ---------------------------------------------------------------- the specification

const PROPERTIES = new Map(DATA.properties.map((each) => [each.id, each]));

function reach({ kind, visited, size, complete, rejected, blocked }) {
  const unasked = blocked ? `, ${blocked.toLocaleString("en")} blocked` : "";
  if (kind === "finite") return `${visited.toLocaleString("en")} of ${plural(size, "cell")}, ${complete ? "complete" : "incomplete"}${unasked}`;
  return `${plural(visited, "distinct case")}, ${rejected.toLocaleString("en")} rejected${unasked}`;
}

function drawClause(clause) {
  const checks = clause.properties.map((name) => {
    const property = PROPERTIES.get(name);
    return make("li", {}, make("a", { href: `#property-${name}` }, name), " ",
      property ? [badge(property.verdict), ` ${reach(property.domain)}`] : badge("not run"));
  });
  const titled = new Map(DATA.documents.map((each) => [each.name, each]));
  const sources = clause.documents.flatMap((name, at) => [at ? "; " : "",
    make("a", { href: titled.get(name).address }, titled.get(name).title)]);
  return make("article", { class: "clause", id: `clause-${clause.id}` },
    make("p", {}, badge(clause.state === "unchecked" ? "not checked yet" : clause.state), " ", make("code", {}, clause.id), " ",
      make("span", { class: "quiet" }, clause.grade)),
    make("p", {}, clause.text),
    checks.length ? make("ul", { "aria-label": "Properties that speak for it" }, checks) : null,
    make("p", { class: "quiet" }, `“${clause.heading}” in `, ...sources, ".", clause.superseded_by ? ` Superseded by ${clause.superseded_by}.` : "",
      clause.note ? ` ${clause.note}` : ""));
}

function specification(host) {
  const rows = DATA.clauses;
  const count = make("p", { role: "status", "aria-live": "polite" });
  const results = make("div");
  const form = filters("specification", [
    { name: "q", label: "Search id, words, property" },
    { name: "state", label: "State", options: distinct(rows, "state") },
    { name: "grade", label: "Grade", options: distinct(rows, "grade") },
  ], ({ q, state, grade }) => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = rows.filter((row) => (!state || row.state === state) && (!grade || row.grade === grade)
      && words.every((word) => [row.id, row.text, row.note || "", ...row.properties].join("\n").toLowerCase().includes(word)));
    count.textContent = `${matching.length.toLocaleString("en")} of ${plural(rows.length, "clause")}, in the documents' order`;
    const parts = [];
    let heading = null;
    for (const row of matching) {
      if (row.heading !== heading) {
        heading = row.heading;
        parts.push(make("h3", {}, heading));
      }
      parts.push(drawClause(row));
    }
    results.replaceChildren(...parts);
  });
  host.append(form.form, count, results);
  form.take(new URLSearchParams());
  return { take: (query) => form.take(query) };
}

// ---------------------------------------------------------------- pictures

// Returns a grid with arrow-key navigation; the selected cell is described below and kept in the address.
function grid(host, { caption, corner, rows, columns, cell, describe, turned, onChoose }) {
  const detail = make("div", { class: "told", role: "status", "aria-live": "polite" }, make("p", { class: "quiet" }, "Choose a cell."));
  const body = make("tbody");
  let chosen = null;
  const choose = (td, focus) => {
    if (chosen) { chosen.tabIndex = -1; chosen.removeAttribute("aria-selected"); }
    chosen = td;
    td.tabIndex = 0;
    td.setAttribute("aria-selected", "true");
    const [row, column] = [td.parentElement.rowIndex - 1, td.cellIndex - 1];
    detail.replaceChildren(...describe(row, column));
    if (focus) { td.focus(); onChoose({ row: rows[row], column: columns[column] }); }
  };
  rows.forEach((name, row) => {
    body.append(make("tr", {}, make("th", { scope: "row" }, name), columns.map((_, column) => {
      const { text, kind } = cell(row, column);
      return make("td", { class: kind, role: "gridcell", tabindex: row + column ? "-1" : "0" }, text);
    })));
  });
  const table = make("table", { class: "grid", role: "grid" }, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, corner),
      columns.map((name) => make("th", { scope: "col", class: turned ? "turned" : null }, make("span", {}, name))))), body);
  body.addEventListener("click", ({ target }) => { const td = target.closest("td"); if (td) choose(td, true); });
  body.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const td = event.target.closest("td");
    if (!td || !(step || event.key === "Enter" || event.key === " ")) return;
    event.preventDefault();
    const [down, right] = step || [0, 0];
    const next = table.rows[td.parentElement.rowIndex + down]?.cells[td.cellIndex + right];
    if (next && next.tagName === "TD") choose(next, true);
  });
  chosen = table.rows[1]?.cells[1] || null;
  host.append(make("div", { class: "scroll" }, table), detail);
  return {
    take(query) {
      const td = table.rows[rows.indexOf(query.get("row")) + 1]?.cells[columns.indexOf(query.get("column")) + 1];
      if (td?.tagName !== "TD") return;
      choose(td, false);
      td.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
  };
}

// Returns a function for the answer, the rule, the divergence ids and the blocking calls of a cell of a picture.
function cellsOf(picture) {
  const width = picture.axes.at(-1).labels.length;
  const split = (rows) => rows.map((row) => row.split(" ").map(Number));
  const [answers, ruled] = [split(picture.rows), split(picture.ruled)];
  const blockers = new Map();
  for (const [call, cells] of Object.entries(picture.blocked || {})) {
    for (const cell of cells) blockers.set(cell, [...(blockers.get(cell) || []), call]);
  }
  return (row, column) => ({
    answer: picture.answers[answers[row][column]],
    rule: ruled.length ? picture.rules[ruled[row][column]] : null,
    differs: picture.divergences[row * width + column] || [],
    blocked: blockers.get(row * width + column) || [],
  });
}

const refused = (answer) => /^\w*(Error|Exception)\b/.test(answer);
const visible = (text) => text.trim() ? text : text ? `(${[...text].map((each) => ({ " ": "blank", "\t": "tab", "\n": "line end" })[each] || "blank").join(", ")})` : "(nothing)";

// A cell is framed if its value differs, not for words or strides alone; a blocked one has no answer of the subject.
function state({ differs, blocked }) {
  const rows = differs.map((id) => BY_ID.get(id)).filter((row) => row?.level === 1);
  const framed = rows.length ? (rows.some((row) => row.status !== "expected") ? " is-wrong" : " is-known") : "";
  return framed + (blocked.length ? " is-blocked" : "");
}

// Returns what the subject answers where it differs, and what blocks the cell.
function subjectAnswers({ differs, blocked }) {
  const rows = differs.map((id) => BY_ID.get(id) || { id });
  return [
    ...rows.map((row) => make("p", {}, `${DATA.subject} differs in ${row.facet || "a fact"}: `, make("code", {}, row.observed || ""), " ", make("a", { href: `#${row.id}` }, row.id))),
    blocked.length ? make("p", {}, `${DATA.subject} was not asked, because of what differs before: `, make("code", {}, blocked.join(", ")), ".") : null,
  ];
}

function category(answer) {
  if (refused(answer)) return "is-refused";
  const name = short(answer);
  if (name === "bool") return "is-bool";
  if (/^(q|bits)/.test(name)) return "";
  return name.startsWith("complex") ? "is-complex" : /float/.test(name) ? "is-floating" : "is-integer";
}

const SHORT = [["bfloat", "bf"], ["complex", "c"], ["float", "f"], ["uint", "u"], ["int", "i"]];
const initials = (name) => SHORT.reduce((so_far, [long, brief]) => so_far.startsWith(long) ? so_far.replace(long, brief) : so_far, name.split("_")[0]);

const PICTURES = {
  promotion(host) {
    const picture = DATA.pictures["promotion.promote_types"];
    if (!picture) return notRun(host);
    const [defaults, left, right] = picture.axes.map((axis) => axis.labels);
    const at = cellsOf(picture);
    let drawnGrid = null;
    const draw = () => {
      const chosen = select.value;
      const first = defaults.indexOf(chosen) * left.length;
      const part = make("div");
      drawnGrid = grid(part, {
        onChoose: (at) => setAddress("promotion", { default: chosen, ...at }),
        caption: `torch.promote_types(row, column), default dtype ${chosen}`, corner: "with", turned: true,
        rows: left.map(short), columns: right.map(short),
        cell(row, column) {
          const one = at(first + row, column);
          const text = refused(one.answer) ? "–" : left[row] === right[column] ? "=" : initials(short(one.answer));
          return { text, kind: category(one.answer) + state(one) };
        },
        describe(row, column) {
          const cell = at(first + row, column);
          const { answer, rule } = cell;
          const [one, other] = [short(left[row]), short(right[column])];
          const call = `promote_types(${one}, ${other})`;
          return [
            make("p", {}, make("strong", {}, `${one} with ${other}: `), make("code", {}, answer)),
            rule && make("p", {}, "Decided by ", make("strong", {}, rule.id), `: ${rule.text} `,
              rule.clauses.flatMap((each) => [make("a", { href: `#specification?q=${each}` }, each), " "])),
            make("p", { class: "quiet" }, make("code", {}, `python -m conformance explain "${call}"`)),
            ...subjectAnswers(cell),
          ].filter(Boolean);
        },
      });
      container.replaceChildren(part);
    };
    const select = make("select", { name: "default" }, defaults.map((each) => make("option", { value: each }, each)));
    const container = make("div");
    select.addEventListener("change", () => { setAddress("promotion", { default: select.value }); draw(); });
    select.value = defaults.includes("float32") ? "float32" : defaults[0];
    draw();
    host.append(make("p", {}, make("label", {}, "Under the default dtype ", select)), container);
    return {
      take(query) {
        if (defaults.includes(query.get("default"))) { select.value = query.get("default"); draw(); }
        drawnGrid.take(query);
      },
    };
  },
  casting(host) {
    if (!DATA.pairs.length) return notRun(host);
    const [sources, targets] = ["source", "target"].map((side) => [...new Set(DATA.pairs.map((pair) => pair[side]))]);
    const pairs = new Map(DATA.pairs.map((pair) => [`${pair.source} ${pair.target}`, pair]));
    const at = (row, column) => pairs.get(`${sources[row]} ${targets[column]}`);
    const sum = (counts) => Object.values(counts).reduce((one, other) => one + other, 0);
    const brief = (number) => number < 10000 ? String(number) : `${Math.round(number / 1000)}k`;
    return grid(host, {
      onChoose: (at) => setAddress("casting", at),
      caption: "Patterns that were converted from (row) to (column)", corner: "from", turned: true, rows: sources, columns: targets,
      cell(row, column) {
        const pair = at(row, column);
        if (!pair?.compared) return { text: "–", kind: "is-refused" };
        return { text: brief(pair.compared), kind: pair.differing ? "is-wrong" : sum(pair.undefined) ? "is-undefined" : "" };
      },
      describe(row, column) {
        const pair = at(row, column);
        const name = make("strong", {}, `${sources[row]} to ${targets[column]}: `);
        if (!pair?.compared) return [make("p", {}, name, "no elements are compared: torch refuses, or there are none.")];
        const why = Object.entries(pair.undefined).map(([rule, count]) => `${rule} ${count.toLocaleString("en")}`);
        return [
          make("p", {}, name, `${plural(pair.compared, "pattern")} compared, ${pair.differing.toLocaleString("en")} wrong.`),
          make("p", {}, why.length ? `Undefined in torch: ${why.join(", ")}.` : "Torch defines all of them."),
        ];
      },
    });
  },
  "memory-formats"(host) {
    const picture = DATA.pictures["memory_formats.patterns"];
    if (!picture) return notRun(host);
    const [formats, shapes] = picture.axes.map((axis) => axis.labels);
    const at = cellsOf(picture);
    const rank = (shape) => shape.split(",").length;
    const ranks = [...new Set(shapes.map(rank))];
    const container = make("div");
    const query = () => ({ rank: select.value, shape: field.value.trim() });
    let drawnGrid = null;
    const draw = () => {
      const matching = shapes.map((shape, index) => [shape, index]).filter(([shape]) => rank(shape) === Number(select.value)
        && shape.includes(field.value.trim()));
      const part = make("div");
      const contiguous = (index) => at(0, index).answer;
      drawnGrid = grid(part, {
        onChoose: (at) => setAddress("memory-formats", { ...query(), ...at }),
        caption: `Strides by shape (rows) and format, ${matching.length} shapes`, corner: "shape", rows: matching.map(([shape]) => shape), columns: formats.map(short),
        cell(row, column) {
          const one = at(column, matching[row][1]);
          const kind = refused(one.answer) ? "is-refused" : one.answer === contiguous(matching[row][1]) ? "" : "is-integer";
          return { text: refused(one.answer) ? "refused" : one.answer, kind: kind + state(one) };
        },
        describe(row, column) {
          const one = at(column, matching[row][1]);
          return [make("p", {}, make("code", {}, `torch.empty(${matching[row][0]}, memory_format=${formats[column]}).stride()`)),
            make("p", {}, make("code", {}, one.answer)), ...subjectAnswers(one)].filter(Boolean);
        },
      });
      container.replaceChildren(part);
    };
    const changed = () => { setAddress("memory-formats", query()); draw(); };
    const select = make("select", { on: { change: changed } }, ranks.map((each) => make("option", { value: each }, String(each))));
    const field = make("input", { type: "search", placeholder: "such as (2, 3", on: { input: changed } });
    select.value = String(ranks.includes(4) ? 4 : ranks[0]);
    host.append(make("form", { class: "filters", on: { submit: (event) => event.preventDefault() } },
      make("label", {}, "Dimensions", select), make("label", { class: "wide" }, "Shapes with", field)), container);
    draw();
    return {
      take(query) {
        if (ranks.includes(Number(query.get("rank")))) select.value = query.get("rank");
        field.value = query.get("shape") || "";
        draw();
        drawnGrid.take(query);
      },
    };
  },
  devices(host) {
    const picture = DATA.pictures["devices.strings"];
    if (!picture) return notRun(host);
    const [kinds, tails] = picture.axes.map((axis) => axis.labels);
    const at = cellsOf(picture);
    return grid(host, {
      onChoose: (at) => setAddress("devices", at),
      caption: "torch.device('type' + 'ending'), as it prints itself", corner: "type", rows: kinds.map(visible), columns: tails.map(visible),
      cell(row, column) {
        const one = at(row, column);
        return { text: refused(one.answer) ? "–" : one.answer.replace(/^'|'$/g, ""), kind: (refused(one.answer) ? "is-refused" : "is-floating") + state(one) };
      },
      describe(row, column) {
        const one = at(row, column);
        return [make("p", {}, make("code", {}, `torch.device('${kinds[row]}${tails[column]}')`)), make("p", {}, make("code", {}, one.answer)), ...subjectAnswers(one)].filter(Boolean);
      },
    });
  },
};

function notRun(host) {
  host.append(make("p", {}, badge("not run"), " This was not asked in this run."));
}

// ---------------------------------------------------------------- drawing on demand

const LISTS = { divergences, specification };
const drawn = new Map();

function drawSection(section) {
  if (drawn.has(section)) return drawn.get(section);
  drawn.set(section, null);
  const host = document.querySelector(`[data-list="${section}"], [data-picture="${section}"]`);
  const draw = LISTS[section] || PICTURES[section];
  drawn.set(section, host && draw ? draw(host) || null : null);
  return drawn.get(section);
}

// Draws all sections before a section, so that late drawing does not move it.
function drawBefore(section) {
  const hosts = [...document.querySelectorAll("[data-list], [data-picture]")].map((host) => host.dataset.list || host.dataset.picture);
  hosts.slice(0, Math.max(0, hosts.indexOf(section))).forEach(drawSection);
}

function goToAddress() {
  const { section, query } = address();
  if (query.has("row")) drawBefore(section);
  if (BY_ID.has(section)) return drawSection("divergences").open(section);
  if (!section) return null;
  if (LISTS[section] || PICTURES[section]) drawSection(section)?.take(query);
  else if (section.startsWith("clause-")) drawSection("specification").take(new URLSearchParams());
  else if (/^[0-9a-f]{6,}\W*$/.test(section)) return drawSection("divergences").lacks(section);
  if (!query.has("row")) document.getElementById(section)?.scrollIntoView();
  return null;
}

const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) { observer.unobserve(target); drawSection(target.dataset.list || target.dataset.picture); }
  }
}, { rootMargin: "400px" });

document.querySelectorAll("[data-list], [data-picture]").forEach((host) => observer.observe(host));
addEventListener("hashchange", goToAddress);
document.querySelectorAll(".snippet > pre:only-child").forEach((pre) => pre.parentElement.replaceWith(snippet(pre.textContent, "Copy the reproduction")));
goToAddress();
