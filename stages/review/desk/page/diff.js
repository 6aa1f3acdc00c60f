// What changed from one text to another: words first, then letters where a changed run of words kept much of its writing, as
// when a Korean word keeps its stem and changes its particle or ending.

const TOKENS = /\p{Script=Hangul}+|[\p{L}\p{M}]+|\p{N}+|\s+|[^]/gu;
const LETTERS = /\p{N}+|[^]/gu; // a number is one letter: 12 for 11 is another number, not another digit
const LIMIT = 4_000_000; // cells of the table; beyond, the texts' middle is one change
const ALIKE = 0.5; // share of common letters from which a run is compared letter by letter

/** A list of {op: "same" | "gone" | "new", text}, whose same and gone texts make `before`, and same and new ones `after`. */
export function diff(before, after) {
  const out = [];
  for (const part of joined(align(before.match(TOKENS) ?? [], after.match(TOKENS) ?? []))) {
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

/** Two changes with nothing but a blank between them are one change. */
function joined(parts) {
  const out = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (last && (last.gone || last.added) && (part.gone || part.added) && /^\s*$/.test(last.same)) {
      last.gone += last.same + part.gone;
      last.added += last.same + part.added;
      last.same = part.same;
    } else out.push({ ...part });
  }
  return out;
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

/** One changed run against another: letter by letter if they are alike, else as a whole. */
function refine(before, after) {
  const whole = [{ op: "gone", text: before }, { op: "new", text: after }];
  const a = before.match(LETTERS);
  const b = after.match(LETTERS);
  const parts = align(a, b);
  const common = parts.reduce((sum, part) => sum + [...part.same].filter((letter) => letter.trim()).length, 0);
  const letters = (list) => list.filter((letter) => letter.trim()).length;
  if (common < ALIKE * Math.min(letters(a), letters(b))) return whole;
  const out = [];
  let gone = "";
  let added = "";
  parts.forEach((part, index) => {
    gone += part.gone;
    added += part.added;
    // One common letter between two changes is chance more often than not; it is shown as changed too.
    const island = [...part.same].length === 1 && index > 0 && index < parts.length - 1 && (part.gone || part.added) && parts.slice(index + 1).some((next) => next.gone || next.added);
    if (island) {
      gone += part.same;
      added += part.same;
      return;
    }
    if (part.same) {
      push(out, "gone", gone);
      push(out, "new", added);
      push(out, "same", part.same);
      gone = "";
      added = "";
    }
  });
  push(out, "gone", gone);
  push(out, "new", added);
  return out;
}

/** The numbers of two texts that stand in both, as a set of their plain forms. */
export function sharedNumbers(one, other) {
  const plain = (text) => new Set((text.match(NUMBER) ?? []).map(bare));
  const second = plain(other);
  return new Set([...plain(one)].filter((number) => second.has(number)));
}

export const NUMBER = /\d+(?:[.,]\d+)*/g;
export const bare = (number) => number.replaceAll(",", "");
