// What the window knows. Everything in it can be read again from the desk or from this browser's storage.

import { say } from "/page/dom.js";
import { draft, keepDraft, store, stored, waiting } from "/page/api.js";

export const desk = {
  strings: null, // strings.yaml and the settings that the page needs
  reviewer: "",
  language: "ko",
  version: "",
  entries: [], // in brief, in the queue's order
  reasons: [],
  problems: [], // what the desk could not read, as sentences
  trouble: "", // why the queue cannot be read, as a sentence
  kind: "question",
  filter: "open",
  subset: "",
  query: "",
  view: "entry", // or "agreement"
  id: null, // the entry that is open
  detail: null, // that entry in full
  edit: {}, // texts being written, by column
  editing: false,
  reason: "",
  chosen: null, // the option, or "reject" while its reason is being written
  notice: "",
  marks: true,
  judged: [], // ids, for going back
};

/** A text of the interface, by its key or dotted path. */
export function t(path, values) {
  const text = path.split(".").reduce((part, key) => part?.[key], desk.strings[desk.language]);
  return typeof text === "string" ? say(text, values) : (text ?? path);
}

/** A text in both languages, as the reviewer reads it. */
export const inLanguage = (text) => text[desk.language] || text.en;

/** A column's name for people. */
export function columnName(column) {
  const names = t("columns");
  const numbered = column.match(/^option_?(\d+)$/);
  return names[column] ?? (numbered ? say(names.option, { n: numbered[1] }) : column.replaceAll("_", " "));
}

/** [column, text] pairs in the order in which people read them: as listed in the settings, then by name. */
export function ordered(columns) {
  const place = (column) => {
    const at = desk.strings.order.indexOf(column.replace(/_?\d+$/, ""));
    return at < 0 ? desk.strings.order.length : at;
  };
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  return Object.entries(columns).sort(([a], [b]) => place(a) - place(b) || compare(a, b));
}

/** A verdict for people: an option's label where it is one. */
export function verdictName(verdict, entry = desk.detail?.entry, form = "verdicts") {
  const option = entry?.options.find((one) => one.id === verdict);
  if (option) return inLanguage(option.label);
  return verdict === "reject" && entry?.options.length ? t("none_fits") : (t(form)[verdict] ?? verdict);
}

/** How an entry stands for this reviewer: "open", "done" or "skipped". A verdict in the outbox counts. */
export function standing(entry) {
  const sent = waiting().find((one) => one.id === entry.id && one.reviewer === desk.reviewer);
  const verdict = sent?.verdict ?? (entry.mine && !entry.mine.changed ? entry.mine.verdict : null);
  return verdict === null ? "open" : verdict === "skip" ? "skipped" : "done";
}

const fits = (entry) =>
  entry.kind === desk.kind &&
  (!desk.subset || entry.subset === desk.subset) &&
  (!desk.query || `${entry.title} ${entry.id}`.toLowerCase().includes(desk.query.toLowerCase()));

/** The entries of the kind, subset and search, whatever their standing. */
export const inScope = () => desk.entries.filter(fits);

/** The entries of the list; the open one stays in it until it is left. */
export const listed = () => inScope().filter((entry) => desk.filter === "all" || standing(entry) === desk.filter || entry.id === desk.id);

export function counts(entries) {
  const found = { open: 0, done: 0, skipped: 0, all: entries.length };
  for (const entry of entries) found[standing(entry)] += 1;
  return found;
}

/** Keep what is being written. */
export function saveDraft() {
  const empty = !desk.reason && !Object.keys(desk.edit).length && !desk.chosen;
  keepDraft(desk.reviewer, desk.id, empty ? null : { edit: desk.edit, reason: desk.reason, chosen: desk.chosen });
}

export function loadDraft() {
  const kept = draft(desk.reviewer, desk.id);
  const { entry, mine } = desk.detail;
  const own = mine && mine.verdict !== "skip" ? mine : null;
  desk.edit = kept?.edit ?? { ...own?.edit };
  desk.reason = kept?.reason ?? own?.reason ?? "";
  desk.chosen = kept?.chosen ?? (entry.options.some((option) => option.id === own?.verdict) ? own.verdict : null);
  const blank = Object.keys(entry.target).length > 0 && Object.values(entry.target).every((text) => !text);
  desk.editing = Boolean(kept && Object.keys(kept.edit).length) || (blank && entry.kind !== "question");
}

const KEPT = ["reviewer", "language", "kind", "filter", "subset", "marks"];

export function remember() {
  store("view", Object.fromEntries(KEPT.map((key) => [key, desk[key]])));
}

export function recall() {
  Object.assign(desk, { language: desk.strings.language }, stored("view", {}));
}
