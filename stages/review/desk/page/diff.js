// What changed from one text to another: whole words first, then letters inside a word that changed a little, as when a Korean
// word keeps its stem and changes its particle.

const TOKENS = /\p{Script=Hangul}+|[\p{L}\p{M}]+|\p{N}+|\s+|[^]/gu;
const LIMIT = 4_000_000; // cells of the table; beyond, the texts' middle is one change

/** A list of {op: "same" | "gone" | "new", text}, whose same and gone texts make `before`, and same and new ones `after`. */
export function diff(before, after) {
  const parts = align(before.match(TOKENS) ?? [], after.match(TOKENS) ?? []);
  const out = [];
  for (const part of parts) {
    if (part.gone && part.added) refine(part.gone, part.added).forEach((piece) => push(out, piece.op, piece.text));
    else {
      push(out, "gone", part.gone);
      push(out, "new", part.added);
    }
    push(out, "same", part.same);
  }
  return out;
}

function push(out, op, text) {
  if (!text) return;
  const last = out.at(-1);
  if (last && last.op === op) last.text += text;
  else out.push({ op, text });
}

/** Runs of {gone, added, same} over two lists of tokens, by their longest common subsequence. */
function align(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let tail = 0;
  while (tail < a.length - start && tail < b.length - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const parts = [{ gone: "", added: "", same: a.slice(0, start).join("") }];
  parts.push(...middle(a.slice(start, a.length - tail), b.slice(start, b.length - tail)));
  parts.push({ gone: "", added: "", same: tail ? a.slice(-tail).join("") : "" });
  return parts;
}

function middle(a, b) {
  if (!a.length || !b.length || a.length * b.length > LIMIT) return [{ gone: a.join(""), added: b.join(""), same: "" }];
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const equal = a[i] === b[j];
      // A common blank weighs less than a common word, so that changed words are not torn apart at blanks.
      const weight = equal ? (/^\s/.test(a[i]) ? 1 : 3) : 0;
      const down = table[(i + 1) * width + j];
      const right = table[i * width + j + 1];
      table[i * width + j] = Math.max(down, right, equal ? table[(i + 1) * width + j + 1] + weight : 0);
    }
  }
  const parts = [];
  let part = { gone: "", added: "", same: "" };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const here = i < a.length && j < b.length && a[i] === b[j];
    const weight = here ? (/^\s/.test(a[i]) ? 1 : 3) : 0;
    if (here && table[i * width + j] === table[(i + 1) * width + j + 1] + weight) {
      part.same += a[i];
      i += 1;
      j += 1;
      continue;
    }
    if (part.same) {
      parts.push(part);
      part = { gone: "", added: "", same: "" };
    }
    if (j >= b.length || (i < a.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) part.gone += a[i++];
    else part.added += b[j++];
  }
  parts.push(part);
  return parts;
}

/** One changed word against another: their common beginning and end stay, where these are at least half of the shorter one. */
function refine(before, after) {
  const a = [...before];
  const b = [...after];
  const short = Math.min(a.length, b.length);
  let start = 0;
  while (start < short && a[start] === b[start]) start += 1;
  let tail = 0;
  while (tail < short - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  if (start + tail === 0 || (start + tail) * 2 < short) return [{ op: "gone", text: before }, { op: "new", text: after }];
  const inner = (word) => word.slice(start, word.length - tail).join("");
  return [
    { op: "same", text: a.slice(0, start).join("") },
    { op: "gone", text: inner(a) },
    { op: "new", text: inner(b) },
    { op: "same", text: tail ? a.slice(-tail).join("") : "" },
  ];
}

/** The numbers of two texts that stand in both, as a set of their plain forms. */
export function sharedNumbers(one, other) {
  const plain = (text) => new Set((text.match(NUMBER) ?? []).map(bare));
  const second = plain(other);
  return new Set([...plain(one)].filter((number) => second.has(number)));
}

export const NUMBER = /\d+(?:[.,]\d+)*/g;
export const bare = (number) => number.replaceAll(",", "");
