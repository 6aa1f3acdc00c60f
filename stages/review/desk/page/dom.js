// Building the page out of text. Nothing here, or anywhere in the desk, turns a string into HTML.

const ON = /^on/;

/** An element. `attributes`: class, id, data-…; a function under on… listens; true is a bare attribute; null and false are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (ON.test(name)) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

const present = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

export function fill(id, ...children) {
  const element = document.getElementById(id);
  element.replaceChildren(...present(children));
  return element;
}

/** `text` with {name} filled in from `values`. */
export function say(text, values = {}) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A modal dialog; resolves to what `content(close)` passes to close, or to null for Escape. */
export function dialog(content, { closable = true } = {}) {
  return new Promise((resolve) => {
    const box = h("dialog", { class: "box" });
    const close = (value) => { box.close(); box.remove(); resolve(value); };
    box.append(...present(content(close)));
    box.addEventListener("cancel", (event) => { event.preventDefault(); if (closable) close(null); });
    document.body.append(box);
    box.showModal();
  });
}
