// One entry: what is asked, the texts side by side with their changes marked, the rules, the audio, what others said.

import { h, say } from "/page/dom.js";
import { bare, diff, NUMBER, sharedNumbers } from "/page/diff.js";
import { get } from "/page/api.js";
import { columnName, desk, inLanguage, ordered, t, verdictName } from "/page/state.js";

export function drawEntry(act) {
  const { entry, mine, others } = desk.detail;
  return [
    h("header", {}, h("div", { class: "quiet" }, `${t("kinds")[entry.kind]} · ${entry.subset} · ${entry.stage} · `, h("code", {}, entry.id)), h("h1", {}, entry.title)),
    notices(mine),
    h("p", { class: "prompt" }, inLanguage(entry.prompt)),
    entry.options.length ? options(entry, act) : null,
    entry.audio ? audio(entry) : null,
    sides(entry, act),
    entry.flags.length ? section("flags", h("ul", { class: "flags" }, entry.flags.map((flag) => h("li", {}, flag)))) : null,
    desk.detail.rules.length ? section("rules", h("div", { class: "rules" }, desk.detail.rules.map(rule))) : null,
    entry.affected.length ? affected(entry, act) : null,
    others.length ? section("others", others.map((verdict) => otherVerdict(entry, verdict))) : null,
  ];
}

const section = (name, ...content) => h("section", { "data-part": name }, h("h2", {}, t(name)), content);

function notices(mine) {
  const summary = desk.entries.find((one) => one.id === desk.id);
  const lines = [];
  if (desk.notice) lines.push(h("p", { class: "notice warn" }, desk.notice));
  if (mine?.changed) lines.push(h("p", { class: "notice warn" }, t("verdict_changed", { verdict: verdictName(mine.verdict) })));
  else if (mine) lines.push(h("p", { class: "notice mine" }, t("your_verdict", { verdict: verdictName(mine.verdict) }), mine.reason ? ` — ${mine.reason}` : "", h("span", { class: "quiet" }, ` ${mine.date}`)));
  if (summary?.others && !desk.detail.others.length) {
    lines.push(h("p", { class: "notice" }, summary.others === 1 ? t("others_hidden_one") : t("others_hidden", { n: summary.others })));
  }
  return lines;
}

function options(entry, act) {
  const cards = entry.options.map((option, index) =>
    h(
      "button",
      { class: "option", role: "radio", "aria-checked": String(desk.chosen === option.id), "data-option": option.id, onclick: () => act.choose(option.id) },
      h("kbd", {}, index < 9 ? String(index + 1) : ""),
      h("span", {}, h("b", {}, inLanguage(option.label)), inLanguage(option.consequence) ? h("span", { class: "consequence" }, inLanguage(option.consequence)) : null),
    ),
  );
  return h("div", { class: "options", role: "radiogroup" }, cards);
}

function audio(entry) {
  const missing = h("p", { class: "notice warn", hidden: true }, t("audio_missing"));
  const player = h("audio", { id: "player", controls: true, preload: "metadata", src: `/api/audio?id=${encodeURIComponent(entry.id)}`, onerror: () => { missing.hidden = false; } });
  return h("section", { "data-part": "audio" }, h("h2", {}, t("audio"), h("kbd", {}, "Space")), player, missing);
}

function sides(entry, act) {
  const source = ordered(entry.source);
  const target = ordered(entry.target);
  if (!source.length && !target.length) return null;
  const blank = target.length && target.every(([, text]) => !text);
  const left = source.length ? h("div", { class: "side", "data-side": "source", lang: "en" }, h("h2", {}, t("source")), source.map(([column, text]) => text_(entry, "source", column, text))) : null;
  const right = target.length
    ? h("div", { class: "side", "data-side": "target", lang: "ko" }, h("h2", {}, t(blank ? "written" : "target")), target.map(([column, text]) => (desk.editing && !desk.strings.fixed.includes(column) ? field(entry, column, text, act) : text_(entry, "target", column, text))))
    : null;
  return h("div", { class: left && right ? "sides" : "sides single", "data-marks": String(desk.marks) }, left, right);
}

/** One column's text: with the changes from its column before or from the reviewer's own edit, and its numbers compared. */
function text_(entry, side, column, text) {
  const edited = side === "target" ? desk.edit[column] : undefined;
  const label = [columnName(column)];
  const write = numberWriter(entry, column);
  let body;
  const before = desk.strings.pairs.filter(([, after]) => after === column).map(([first]) => first).find((first) => entry[side][first] !== undefined || entry.source[first] !== undefined);
  if (edited !== undefined && edited !== text) {
    label.push(h("span", { class: "quiet" }, ` · ${t("your_changes")}`));
    body = marked(text, edited, write);
  } else if (before !== undefined) {
    label.push(h("span", { class: "quiet" }, ` · ${t("changes_from", { column: columnName(before) })}`));
    body = marked(entry[side][before] ?? entry.source[before], text, write);
  } else body = write(text);
  return h("div", { class: "column", "data-column": column }, h("div", { class: "label" }, label), h("div", { class: "text" }, body));
}

export function marked(before, after, write = (text) => [text]) {
  return diff(before, after).map(({ op, text }) => (op === "same" ? write(text) : h(op === "new" ? "ins" : "del", {}, op === "new" ? write(text) : text)));
}

/** How the text of a column is written: numbers underlined, and marked where its counterpart on the other side lacks them. */
function numberWriter(entry, column) {
  const pair = desk.strings.counterparts.find(([source, target]) => entry.source[source] && entry.target[target] && (source === column || target === column));
  if (!pair) return (text) => [text];
  const shared = sharedNumbers(entry.source[pair[0]], desk.edit[pair[1]] ?? entry.target[pair[1]]);
  return (text) => {
    const out = [];
    let at = 0;
    for (const found of text.matchAll(NUMBER)) {
      const both = shared.has(bare(found[0]));
      out.push(text.slice(at, found.index), h("span", { class: both ? "number" : "number alone", title: both ? null : t("one_sided") }, found[0]));
      at = found.index + found[0].length;
    }
    return [...out, text.slice(at)];
  };
}

function field(entry, column, text, act) {
  const value = desk.edit[column] ?? text;
  const preview = h("div", { class: "text preview" });
  const show = (now) => preview.replaceChildren(...(text && now !== text ? marked(text, now) : []));
  const area = h("textarea", {
    "data-edit": column,
    lang: "ko",
    rows: column.startsWith("option") || column === "answer" ? "1" : "3",
    spellcheck: "false",
    "aria-label": columnName(column),
    oninput: (event) => { act.write(column, event.target.value, text); show(event.target.value); },
  });
  area.value = value;
  show(value);
  return h("div", { class: "column", "data-column": column }, h("div", { class: "label" }, columnName(column)), area, preview);
}

function rule(one) {
  const decided = one.decided_by ? h("p", { class: "quiet" }, `${t("decided_by")}: ${one.decided_by}`) : null;
  const example = (name, sign) => (pair) =>
    h("li", { class: name }, h("span", { class: "sign", title: t(name) }, sign), h("span", {}, pair.in, pair.out ? [h("span", { class: "arrow" }, " → "), pair.out] : null, pair.why ? h("span", { class: "quiet" }, ` (${pair.why})`) : null));
  return h(
    "details",
    { class: "rule", "data-rule": one.id, open: desk.detail.rules.length <= 3 },
    h("summary", {}, h("code", {}, one.id), " ", h("span", { class: "quiet" }, one.book || t("unknown_rule"))),
    one.when ? h("p", {}, h("span", { class: "quiet" }, `${t("when")}: `), one.when) : null,
    one.do ? h("p", {}, one.do) : null,
    one.why ? h("p", {}, h("span", { class: "quiet" }, `${t("why")}: `), one.why) : null,
    h("ul", { class: "examples" }, one.examples.map(example("example", "✓")), one.counterexamples.map(example("counterexample", "✗"))),
    decided,
  );
}

function affected(entry, act) {
  const shown = 12;
  const box = h("div", { class: "item" });
  const chip = (id) => h("button", { class: "chip", onclick: (event) => openItem(box, id, event.target) }, id);
  const list = h("div", { class: "chips" }, entry.affected.slice(0, shown).map(chip));
  if (entry.affected.length > shown) {
    list.append(h("button", { class: "chip more", onclick: () => list.replaceChildren(...entry.affected.map(chip)) }, t("show_all", { n: entry.affected.length })));
  }
  return h("section", { "data-part": "affected" }, h("h2", {}, t("affected", { n: entry.affected.length })), list, box);

  async function openItem(into, id, button) {
    list.querySelectorAll("[aria-pressed]").forEach((other) => other.removeAttribute("aria-pressed"));
    try {
      const item = await get("item", { id });
      const column = ([name, text]) => h("div", { class: "column" }, h("div", { class: "label" }, columnName(name)), h("div", { class: "text" }, text));
      const queued = desk.entries.find((one) => one.kind !== "question" && one.id.endsWith(`:${id}`));
      button.setAttribute("aria-pressed", "true");
      into.replaceChildren(
        h("p", { class: "quiet" }, h("code", {}, id), " · ", item.reason ? t("rejected_at", item) : t("reached", item), queued ? [" · ", h("a", { href: "#", onclick: (event) => { event.preventDefault(); act.open(queued.id); } }, queued.title)] : null),
        h("div", { class: "sides" }, h("div", { class: "side", lang: "en" }, ordered(item.source).map(column)), h("div", { class: "side", lang: "ko" }, ordered(item.target).map(column))),
      );
      into.scrollIntoView({ block: "nearest" });
    } catch (error) {
      into.replaceChildren(h("p", { class: "notice warn" }, error.message));
    }
  }
}

function otherVerdict(entry, verdict) {
  const edits = Object.entries(verdict.edit).map(([column, text]) => h("div", { class: "column" }, h("div", { class: "label" }, columnName(column)), h("div", { class: "text" }, marked(entry.target[column] ?? "", text))));
  const differs = desk.detail.mine.verdict !== verdict.verdict;
  return h("div", { class: differs ? "other differs" : "other" }, h("b", {}, verdict.reviewer), say(": {verdict}", { verdict: verdictName(verdict.verdict) }), verdict.reason ? ` — ${verdict.reason}` : "", edits);
}
