// The desk's page: what is open, what the keys do, and looking for what others changed.

import { dialog, fill, h } from "/page/dom.js";
import { get, post, Refused, waiting } from "/page/api.js";
import { drawAgreement } from "/page/agreement.js";
import { drawEntry } from "/page/entry.js";
import { drawRows, drawSide, drawTop } from "/page/list.js";
import { answering, drawBar, give, send, showSaving } from "/page/verdict.js";
import { desk, inScope, listed, loadDraft, recall, remember, saveDraft, standing, t, verdictName } from "/page/state.js";

const windows = "BroadcastChannel" in globalThis ? new BroadcastChannel("benchferry.desk") : null;
let agreementLines = [];

// Drawing

function draw() {
  document.documentElement.lang = desk.language;
  document.title = t("title");
  drawTop(act);
  drawSide(act);
  drawMain();
  showSaving();
}

function drawMain() {
  drawArticle();
  drawBar(act);
}

function drawArticle() {
  if (desk.view === "agreement") fill("main", h("article", {}, drawAgreement(agreementLines, act)));
  else if (desk.detail) fill("main", h("article", { "data-id": desk.id }, drawEntry(act)));
  else fill("main", h("article", { class: "blank" }, emptyView()));
}

function emptyView() {
  if (desk.id) return h("p", {}, t("waiting"));
  const scope = inScope();
  if (!desk.entries.length) return [h("h1", {}, t("empty_title")), h("p", {}, t("empty_text"))];
  if (!scope.length || desk.filter !== "open") return [h("h1", {}, t("nothing_title")), h("p", {}, t("nothing_text"))];
  return [h("h1", {}, t("done_title")), h("p", {}, t("done_text", { skipped: scope.filter((entry) => standing(entry) === "skipped").length }))];
}

function toast(text) {
  const box = fill("toast", text);
  box.classList.add("shown");
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => box.classList.remove("shown"), 4000);
}

// Reading

/** Read the queue in brief if something changed; then the open entry too. */
async function refresh(force = false) {
  try {
    const state = await get("state", { reviewer: desk.reviewer, version: force ? "" : desk.version });
    if (desk.trouble) {
      desk.trouble = "";
      showSaving();
    }
    answering(true);
    if (waiting().length) send(settled, token);
    if (state === null && desk.id && !desk.detail) return void (await open(desk.id)); // it could not be read before
    if (state === null) return;
    const before = desk.detail;
    Object.assign(desk, { version: state.version, entries: state.entries, reasons: state.reasons, problems: state.problems });
    if (desk.id && desk.entries.some((entry) => entry.id === desk.id)) {
      const detail = await get("entry", { id: desk.id, reviewer: desk.reviewer });
      if (detail.entry.id !== desk.id) return;
      desk.detail = detail;
      if (before && before.seen !== detail.seen) desk.notice = t("entry_changed");
      if (!before) loadDraft();
    } else if (desk.view === "entry") await open(listed()[0]?.id ?? null, false);
    if (desk.view === "agreement") agreementLines = await get("agreement", { reviewer: desk.reviewer });
    redrawGently();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) await token();
    else if (error instanceof Refused) desk.trouble = error.message;
    else answering(false);
    showSaving();
  }
}

/** Draw without taking the keyboard from someone who is writing (a Korean letter may be half composed), or stopping a clip. */
function redrawGently() {
  const writing = document.activeElement;
  const playing = !(document.getElementById("player")?.paused ?? true);
  if (writing?.matches("textarea") || playing) {
    drawTop(act);
    drawSide(act);
    showSaving();
  } else if (writing?.id === "reason") {
    drawTop(act);
    drawSide(act);
    drawArticle();
    showSaving();
  } else draw();
}

async function open(id, scroll = true) {
  if (id !== null && id === desk.id && desk.detail) {
    desk.view = "entry";
    return draw();
  }
  Object.assign(desk, { id, detail: null, edit: {}, editing: false, reason: "", chosen: null, notice: "", view: "entry" });
  if (id !== null) {
    const entry = desk.entries.find((one) => one.id === id);
    if (entry && entry.kind !== desk.kind) desk.kind = entry.kind;
    try {
      desk.detail = await get("entry", { id, reviewer: desk.reviewer });
      if (desk.id !== id) return;
      loadDraft();
    } catch (error) {
      if (desk.id !== id) return;
      if (error instanceof Refused) desk.id = null;
      else answering(false);
    }
  }
  history.replaceState(null, "", desk.id ? `#/${encodeURIComponent(desk.id)}` : "#/");
  remember();
  draw();
  if (scroll) document.getElementById("main").scrollTop = 0;
  return null;
}

/** After another filter: the open entry stays if it fits, else the first that does is opened. */
function refilter() {
  remember();
  const fits = inScope().some((entry) => entry.id === desk.id && (desk.filter === "all" || standing(entry) === desk.filter));
  if (!fits) desk.id = null;
  return open(fits ? desk.id : (listed()[0]?.id ?? null));
}

/** The next entry of the list that is still open after this one; else the first; else none. */
function nextOpen() {
  const all = inScope();
  const at = all.findIndex((entry) => entry.id === desk.id);
  const later = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
  const wanted = desk.filter === "open" || desk.filter === "skipped" ? desk.filter : null;
  return (wanted ? later.find((entry) => standing(entry) === wanted) : all[at + 1])?.id ?? (wanted ? null : desk.id);
}

function step(by) {
  const list = listed();
  const at = list.findIndex((entry) => entry.id === desk.id);
  const to = list[Math.min(Math.max(at + by, 0), list.length - 1)];
  if (to && to.id !== desk.id) open(to.id);
}

// Acting

/** A verdict has left the outbox: saved, or refused and then open again with what was written. */
async function settled(verdict, saved, notice) {
  windows?.postMessage("changed");
  await refresh(true);
  if (saved) return;
  desk.detail = null;
  await open(verdict.id);
  desk.notice = notice;
  draw();
}

const act = {
  open,
  agreement: async () => {
    desk.view = desk.view === "agreement" ? "entry" : "agreement";
    if (desk.view === "agreement") agreementLines = await get("agreement", { reviewer: desk.reviewer });
    draw();
  },
  help: () =>
    dialog((close) => [h("h2", {}, t("help")), h("table", { class: "keys" }, t("keys").map(([key, what]) => h("tr", {}, h("td", {}, h("kbd", {}, key)), h("td", {}, what)))), h("div", { class: "buttons" }, h("button", { autofocus: true, onclick: () => close(null) }, t("close")))]),
  language: () => { desk.language = desk.language === "ko" ? "en" : "ko"; remember(); draw(); },
  who: async () => { await who(true); desk.detail = null; await refresh(true); await open(desk.id ?? listed()[0]?.id ?? null); },
  kind: (kind) => { desk.kind = kind; refilter(); },
  filter: (filter) => { desk.filter = filter; refilter(); },
  subset: (subset) => { desk.subset = subset; refilter(); },
  query: (query) => { desk.query = query; drawRows(act); },
  choose: (id) => {
    if (desk.chosen === id) return act.judge(id);
    desk.chosen = id;
    saveDraft();
    drawMain();
    return null;
  },
  confirm: () => {
    if (desk.chosen === "reject") act.judge("reject");
    else if (desk.chosen) act.judge(desk.chosen);
    else if (desk.detail?.entry.options.length) toast(t("choose_first"));
  },
  edit: () => { desk.editing = true; drawMain(); const area = document.querySelector("textarea"); area?.focus(); area?.setSelectionRange(area.value.length, area.value.length); },
  write: (column, text, before) => {
    if (text === before) delete desk.edit[column];
    else desk.edit[column] = text;
    saveDraft();
  },
  judge: (verdict) => {
    if (!desk.detail || !desk.detail.verdicts.includes(verdict)) return;
    if (verdict === "reject" && !desk.reason.trim()) {
      desk.chosen = "reject";
      drawMain();
      document.getElementById("reason").focus();
      return;
    }
    const { title } = desk.detail.entry;
    const name = verdictName(verdict, desk.detail.entry, "given");
    give(verdict);
    desk.judged.push(desk.id);
    const next = nextOpen();
    document.activeElement?.blur();
    send(settled, token);
    open(next);
    toast(t("toast", { verdict: name, title }));
  },
  back: () => { const id = desk.judged.pop(); if (id) open(id); else toast(t("undo_none")); },
};

// Keys go by their place on the keyboard (event.code), so that they work with the Korean layout switched on as well.

const KEYS = {
  KeyA: () => act.judge("accept"),
  KeyE: () => desk.detail?.verdicts.includes("edit") && act.edit(),
  KeyR: () => act.judge("reject"),
  KeyS: () => act.judge("skip"),
  KeyJ: () => step(1),
  ArrowDown: () => step(1),
  KeyK: () => step(-1),
  ArrowUp: () => step(-1),
  KeyU: () => act.back(),
  KeyN: () => document.getElementById("reason")?.focus(),
  KeyG: () => act.agreement(),
  KeyL: () => act.language(),
  KeyD: () => { desk.marks = !desk.marks; remember(); drawMain(); },
  Enter: () => act.confirm(),
  Space: () => { const player = document.getElementById("player"); if (player) player.paused ? player.play() : player.pause(); },
};

function key(event) {
  if (event.isComposing || document.querySelector("dialog")) return;
  const inText = event.target.matches("textarea, input, select");
  if (event.key === "Escape") {
    if (event.target.matches("textarea") || desk.editing) { desk.editing = false; drawMain(); }
    if (desk.chosen === "reject") { desk.chosen = null; drawMain(); }
    event.target.blur();
    return;
  }
  if (event.code === "Enter" && (event.ctrlKey || event.metaKey) && desk.editing) return stop(() => act.judge("edit"));
  if (inText) {
    if (event.code === "Enter" && event.target.id === "reason") stop(() => { event.target.blur(); act.confirm(); });
    if (event.code === "Enter" && event.target.id === "search") stop(() => { event.target.blur(); act.open(listed()[0]?.id ?? null); });
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "?") return stop(() => act.help());
  if (event.code === "Slash") return stop(() => document.getElementById("search").focus());
  const digit = event.code.match(/^(?:Digit|Numpad)([1-9])$/);
  const option = digit && desk.detail?.entry.options[Number(digit[1]) - 1];
  if (option) return stop(() => act.choose(option.id));
  // Enter and Space on a button or an opened rule do what the button does.
  if (["Enter", "Space"].includes(event.code) && event.target.matches("button, summary, a, audio")) return;
  if (KEYS[event.code]) stop(KEYS[event.code]);

  function stop(action) {
    event.preventDefault();
    action();
  }
}

// Starting

async function who(closable) {
  const name = await ask(t("who_title"), t("who_text"), t("who_name"), t("who_hint"), t("start"), desk.reviewer, closable, async (value) => {
    await get("state", { reviewer: value, version: "" });
    return value.normalize("NFC").trim().toLowerCase();
  });
  if (name) { desk.reviewer = name; remember(); }
}

let asking = null;

/** Ask for the token, once however many requests were refused. */
function token() {
  asking ??= ask(t("token_title"), t("token_text"), t("token_title"), "", t("enter"), "", false, (value) => post("login", { token: value }), "password").finally(() => { asking = null; });
  return asking;
}

function ask(title, text, label, hint, button, value, closable, check, type = "text") {
  const trouble = h("p", { class: "notice warn", hidden: true });
  return dialog((close) => {
    const field = h("input", { type, value, autofocus: true, "aria-label": label, placeholder: hint, maxlength: "200", autocomplete: "off" });
    const go = async () => {
      try { close((await check(field.value)) ?? true); } catch (error) { trouble.textContent = error.message; trouble.hidden = false; }
    };
    field.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); go(); } });
    return [h("h2", {}, title), h("p", {}, text), field, trouble, h("div", { class: "buttons" }, h("button", { class: "main", onclick: go }, button))];
  }, { closable });
}

async function start() {
  desk.strings = await get("strings");
  recall();
  document.documentElement.lang = desk.language;
  const given = location.hash.match(/^#token=(.+)$/);
  if (given) {
    history.replaceState(null, "", "#/");
    await post("login", { token: decodeURIComponent(given[1]) }).catch(() => {});
  }
  try { await get("state", { reviewer: desk.reviewer || "probe", version: "" }); } catch (error) { if (error.status === 401) await token(); }
  if (!desk.reviewer) await who(false);
  document.addEventListener("keydown", key);
  const wanted = decodeURIComponent(location.hash.replace(/^#\/?/, ""));
  await refresh(true);
  const known = desk.entries.find((entry) => entry.id === wanted);
  if (!known && !inScope().length) desk.kind = desk.entries[0]?.kind ?? desk.kind;
  await open(known?.id ?? listed()[0]?.id ?? null);
  if (waiting().length) send(settled, token);
  windows?.addEventListener("message", () => refresh());
  addEventListener("focus", () => refresh());
  addEventListener("hashchange", () => { const id = decodeURIComponent(location.hash.replace(/^#\/?/, "")); if (id && id !== desk.id) open(id); });
  setInterval(() => { if (!document.hidden) refresh(); }, 1000 * desk.strings.poll_s);
}

start();
