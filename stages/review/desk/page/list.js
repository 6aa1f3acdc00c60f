// The bar on top and the list on the left.

import { fill, h } from "/page/dom.js";
import { counts, desk, inScope, listed, standing, t } from "/page/state.js";

const KINDS = ["question", "item", "disagreement", "listen", "understanding"];
const WINDOW = 250; // rows of the list that are drawn

export function drawTop(act) {
  const scope = counts(desk.entries);
  const share = scope.all ? (100 * scope.done) / scope.all : 0;
  const meter = h("progress", { max: "100", value: String(share), "aria-label": t("progress", { done: scope.done, total: scope.all }) });
  fill(
    "top",
    h("span", { class: "name" }, t("title")),
    h("div", { class: "meter" }, meter, h("b", {}, t("progress", { done: scope.done, total: scope.all })), h("span", { class: "quiet" }, t("progress_more", scope))),
    h("span", { id: "saved", class: "quiet" }),
    h("button", { id: "agreement-button", "aria-pressed": String(desk.view === "agreement"), onclick: act.agreement }, t("agreement"), h("kbd", {}, "G")),
    h("button", { onclick: act.help }, t("help"), h("kbd", {}, "?")),
    h("button", { id: "language", onclick: act.language }, t("language"), h("kbd", {}, "L")),
    h("button", { id: "reviewer", onclick: act.who }, desk.reviewer),
  );
}

export function drawSide(act) {
  const kinds = KINDS.map((kind) => {
    const found = counts(desk.entries.filter((entry) => entry.kind === kind));
    return h(
      "button",
      { class: "kind", "data-kind": kind, "aria-pressed": String(desk.kind === kind), onclick: () => act.kind(kind) },
      t("kinds")[kind],
      h("span", { class: found.open ? "count" : "count zero" }, `${found.open}`),
    );
  });
  const scope = counts(inScope());
  const filters = ["open", "done", "skipped", "all"].map((filter) =>
    h("button", { "data-filter": filter, "aria-pressed": String(desk.filter === filter), onclick: () => act.filter(filter) }, t("filters")[filter], h("span", { class: "small" }, ` ${scope[filter]}`)),
  );
  const names = [...new Set(desk.entries.map((entry) => entry.subset))].sort();
  const subsets = h(
    "select",
    { "aria-label": t("all_subsets"), onchange: (event) => act.subset(event.target.value) },
    h("option", { value: "" }, t("all_subsets")),
    names.map((name) => h("option", { value: name, selected: desk.subset === name }, name)),
  );
  const search = h("input", { id: "search", type: "search", placeholder: t("search"), "aria-label": t("search"), value: desk.query, oninput: (event) => act.query(event.target.value) });
  if (document.activeElement?.id === "search") {
    drawRows(act); // the field stays as it is: a Korean letter may be half composed in it
    return;
  }
  const scrolled = document.getElementById("list")?.scrollTop ?? 0;
  fill(
    "side",
    h("div", { class: "kinds" }, kinds),
    h("div", { class: "filters" }, filters),
    h("div", { class: "narrow" }, subsets, search),
    h("ol", { id: "list" }, rows(act)),
    h("div", { class: "export quiet" }, t("export"), " ", ["label-studio", "argilla"].map((form) => [h("a", { href: `/api/export?form=${form}`, download: "" }, form), " "])),
  );
  document.getElementById("list").scrollTop = scrolled;
  document.querySelector("#list [aria-current]")?.scrollIntoView({ block: "nearest" });
}

export function drawRows(act) {
  document.getElementById("list").replaceChildren(...rows(act));
}

function rows(act) {
  const entries = listed();
  const at = Math.max(0, entries.findIndex((entry) => entry.id === desk.id));
  const from = Math.max(0, Math.min(at - WINDOW / 2, entries.length - WINDOW));
  const drawn = entries.slice(from, from + WINDOW).map((entry) => {
    const state = entry.mine?.changed ? "changed" : standing(entry);
    const sign = { open: "○", done: "●", skipped: "◌", changed: "↻" }[state];
    return h(
      "li",
      { "aria-current": entry.id === desk.id ? "true" : null, "data-id": entry.id, "data-state": state, onclick: () => act.open(entry.id) },
      h("span", { class: "sign", "aria-label": state }, sign),
      h("span", { class: "what" }, h("span", { class: "line" }, entry.title), h("span", { class: "small" }, entry.id.split(":").slice(1).join(" · "), entry.audio ? " ♪" : "", entry.others ? ` · +${entry.others}` : "")),
    );
  });
  const hidden = entries.length - drawn.length;
  return hidden > 0 ? [...drawn, h("li", { class: "quiet" }, t("more", { n: hidden }))] : drawn;
}
