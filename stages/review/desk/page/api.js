// Talking to the desk, and keeping what it has not confirmed yet.
//
// A verdict goes into the outbox (localStorage) before it is sent and leaves it only when the desk has it on the disk. So a
// verdict survives a killed desk, a closed window and a crashed browser. Sending one twice does no harm: the desk knows it.

const OUTBOX = "benchferry.outbox";

export class Refused extends Error {
  constructor(status, body) {
    super(body.error ?? `HTTP ${status}`);
    this.status = status;
    this.code = body.code ?? "";
    this.body = body;
  }
}

/** The JSON of an answer; null for 204. Throws Refused for an error of the desk, TypeError when it does not answer. */
async function ask(path, options) {
  const response = await fetch(path, { cache: "no-store", ...options });
  if (response.status === 204) return null;
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, body);
  return body;
}

export const get = (path, values = {}) => ask(`/api/${path}?${new URLSearchParams(values)}`);

export const post = (path, value) =>
  ask(`/api/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });

export function stored(key, fallback = null) {
  try {
    return JSON.parse(localStorage.getItem(`benchferry.${key}`)) ?? fallback;
  } catch {
    return fallback;
  }
}

export const store = (key, value) => localStorage.setItem(`benchferry.${key}`, JSON.stringify(value));

// Drafts: a text in the making, kept at each keystroke. A window's own draft comes before another window's.

const draftKey = (reviewer, id) => `benchferry.draft.${reviewer}.${id}`;

export function draft(reviewer, id) {
  const key = draftKey(reviewer, id);
  return JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? "null");
}

export function keepDraft(reviewer, id, value) {
  const key = draftKey(reviewer, id);
  if (value === null) {
    sessionStorage.removeItem(key);
    localStorage.removeItem(key);
    return;
  }
  sessionStorage.setItem(key, JSON.stringify(value));
  localStorage.setItem(key, JSON.stringify(value));
}

// The outbox.

let read = { text: "[]", list: [] };

/** The verdicts that wait, oldest first. The list is not to be changed in place. */
export function waiting() {
  const text = localStorage.getItem(OUTBOX) ?? "[]";
  if (text !== read.text) read = { text, list: JSON.parse(text) };
  return read.list;
}

function change(edit) {
  localStorage.setItem(OUTBOX, JSON.stringify(edit(waiting())));
}

/** Put a verdict into the outbox: a newer one on the same entry takes the place of an older one, but counts from what that one knew. */
export function enqueue(verdict) {
  change((list) => {
    const same = (one) => one.id === verdict.id && one.reviewer === verdict.reviewer;
    const before = list.find(same);
    return [...list.filter((one) => !same(one)), { ...verdict, key: `${Date.now()}.${Math.random()}`, after: before?.after ?? verdict.after }];
  });
}

let mine = Promise.resolve();

/** Runs one flush at a time: over all windows where the browser has locks (on loopback and https), else over this one. */
function alone(work) {
  if (navigator.locks) return navigator.locks.request("benchferry.outbox", work);
  const turn = mine.then(work);
  mine = turn.catch(() => {});
  return turn;
}

/** Send what waits, oldest first. `settled(verdict, saved, refused)` is called just before one leaves the outbox. Throws when the desk does not answer. */
export function flush(settled) {
  return alone(async () => {
    for (const verdict of waiting()) {
      let saved = null;
      let refused = null;
      try {
        ({ saved } = await post("verdict", verdict));
      } catch (error) {
        if (!(error instanceof Refused) || error.status >= 500 || error.status === 401) throw error;
        refused = error;
      }
      settled(verdict, saved, refused);
      change((list) => list.filter((one) => one.key !== verdict.key));
    }
  });
}
