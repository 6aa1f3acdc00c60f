// The bar at the bottom, and what happens when a verdict is given.

import { dialog, fill, h } from "/page/dom.js";
import { enqueue, flush, keepDraft, waiting } from "/page/api.js";
import { desk, saveDraft, t, verdictName } from "/page/state.js";

export function drawBar(act) {
  if (desk.view !== "entry" || !desk.detail) return fill("bar");
  const { entry, verdicts, mine } = desk.detail;
  const reason = h("input", {
    id: "reason",
    type: "text",
    list: "reasons",
    autocomplete: "off",
    maxlength: "2000",
    lang: "ko",
    placeholder: desk.chosen === "reject" ? t("reason_needed") : t("reason_hint"),
    "aria-label": t("reason"),
    value: desk.reason,
    oninput: (event) => { desk.reason = event.target.value; saveDraft(); },
  });
  const button = (verdict, label, key, click) =>
    h("button", { class: `verdict ${verdict}`, "data-verdict": verdict, "aria-pressed": String(mine?.verdict === verdict && !mine.changed), onclick: click }, label, h("kbd", {}, key));
  const buttons = [];
  if (verdicts.includes("accept") && !desk.editing) buttons.push(button("accept", t("verdicts.accept"), "A", () => act.judge("accept")));
  if (entry.options.length) buttons.push(button("choose", t("save_answer"), "Enter", act.confirm));
  if (verdicts.includes("edit")) {
    buttons.push(desk.editing ? button("edit", t("save_edit"), "Ctrl+Enter", () => act.judge("edit")) : button("edit", t("verdicts.edit"), "E", act.edit));
  }
  buttons.push(button("reject", entry.options.length ? t("none_fits") : t("verdicts.reject"), "R", () => act.judge("reject")));
  buttons.push(button("skip", t("verdicts.skip"), "S", () => act.judge("skip")));
  const had = document.activeElement?.id === "reason" ? document.activeElement.selectionStart : null;
  fill("bar", reason, h("datalist", { id: "reasons" }, desk.reasons.map((text) => h("option", { value: text }))), h("div", { class: "verdicts" }, buttons));
  if (had !== null) {
    reason.focus();
    reason.setSelectionRange(had, had);
  }
  return null;
}

/** Give a verdict on the open entry: into the outbox, then to the desk. */
export function give(verdict) {
  const { entry, seen, mine } = desk.detail;
  enqueue({ reviewer: desk.reviewer, id: entry.id, title: entry.title, verdict, edit: verdict === "edit" ? desk.edit : {}, reason: desk.reason, seen, after: mine?.seq ?? 0 });
}

let retry = null;

/** Send what waits; tries again every two seconds while the desk does not answer. `after` runs when something has been settled. */
export async function send(after, needToken) {
  clearTimeout(retry);
  showSaving();
  const gone = [];
  try {
    await flush((verdict, saved, refused) => {
      // What was refused stays as a draft: it is looked at below, once other windows may save again.
      keepDraft(verdict.reviewer, verdict.id, saved ? null : { edit: verdict.edit, reason: verdict.reason, chosen: null });
      gone.push([verdict, saved, refused]);
    });
  } catch (error) {
    if (error.status === 401) await needToken();
    else answering(false);
    retry = setTimeout(() => send(after, needToken), 2000);
  }
  showSaving();
  for (const [verdict, saved, refused] of gone) {
    const notice = refused ? await explain(verdict, refused, after) : "";
    await after(verdict, saved, notice);
  }
}

export function showSaving() {
  const count = waiting().length;
  const sign = document.getElementById("saved");
  if (sign) {
    sign.textContent = count ? t("saving") : `✓ ${t("saved")}`;
    sign.dataset.waiting = String(count);
  }
  const lines = [failing && count ? t("unsaved", { n: count }) : "", desk.trouble, ...desk.problems].filter(Boolean);
  fill("banner", lines.map((line) => h("p", { class: "notice warn" }, line)));
}

let failing = false;

/** Whether the desk answered last time. */
export function answering(yes) {
  if (failing === !yes) return;
  failing = !yes;
  showSaving();
}

/** The desk did not take a verdict: say why, and let the reviewer decide where two windows disagree. Returns what to note beside the entry. */
async function explain(verdict, refused, after) {
  const name = (text) => verdictName(text, desk.detail?.entry.id === verdict.id ? desk.detail.entry : null);
  if (refused.code === "changed") {
    return t("entry_changed");
  }
  if (refused.code !== "outdated") {
    await dialog((close) => [h("h2", {}, t("refused_title")), h("p", { class: "quiet" }, verdict.title), h("p", {}, refused.message), h("div", { class: "buttons" }, h("button", { autofocus: true, onclick: () => close(null) }, t("close")))]);
    return "";
  }
  const other = refused.body.verdict;
  const take = await dialog((close) => [
    h("h2", {}, t("conflict_title")),
    h("p", { class: "quiet" }, verdict.title),
    h("p", {}, t("conflict_text", { theirs: name(other.verdict), mine: name(verdict.verdict) })),
    Object.values(verdict.edit).concat(verdict.reason).filter(Boolean).map((text) => h("p", { class: "text" }, text)),
    h("div", { class: "buttons" }, h("button", { onclick: () => close(false) }, t("keep_theirs", { verdict: name(other.verdict) })), h("button", { class: "main", onclick: () => close(true) }, t("take_mine", { verdict: name(verdict.verdict) }))),
  ], { closable: false });
  if (take) {
    enqueue({ ...verdict, after: other.seq });
    setTimeout(() => send(after, async () => {}), 0);
  } else keepDraft(verdict.reviewer, verdict.id, null);
  return "";
}
