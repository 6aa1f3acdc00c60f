// How far the reviewers agree.

import { h } from "/page/dom.js";
import { desk, t } from "/page/state.js";

const number = (value) => value.toFixed(2);

export function drawAgreement(lines, act) {
  const head = [h("h1", {}, t("agreement_title")), h("p", { class: "prompt" }, t("agreement_text"))];
  if (!lines.length) return [...head, h("p", { class: "notice" }, t("agreement_none"))];
  const rows = lines.map((line) =>
    h(
      "tr",
      {},
      h("td", {}, `${line.first} · ${line.second}`),
      h("td", {}, t("kinds")[line.kind]),
      h("td", { class: "figure" }, String(line.n)),
      h("td", { class: "figure" }, `${Math.round(100 * line.observed)} %`),
      h("td", { class: "figure" }, line.kappa === null ? "–" : [h("b", {}, number(line.kappa)), h("span", { class: "quiet" }, ` [${number(line.low)}, ${number(line.high)}]`)]),
      h("td", {}, differing(line, act)),
    ),
  );
  return [...head, h("table", { id: "agreement" }, h("thead", {}, h("tr", {}, t("agreement_columns").map((name) => h("th", {}, name)))), h("tbody", {}, rows))];
}

function differing(line, act) {
  const links = line.differing.map((id) => {
    const entry = desk.entries.find((one) => one.id === id);
    return h("div", {}, h("a", { href: "#", onclick: (event) => { event.preventDefault(); act.open(id); } }, entry?.title ?? id));
  });
  const hidden = line.n_differing - line.differing.length;
  return hidden ? [...links, h("div", { class: "quiet" }, t("differ_hidden", { n: hidden }))] : links;
}
