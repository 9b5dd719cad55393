/**
 * Requests that an answer proposes, as buttons: the items of a list after "You could say:", and quotations after "say"
 * or "ask". Works on HTML that is safe already, and adds only the button's own text to it.
 */

/** "Say “…”", "ask for example “…”", in each language: the quoted words are the second group. */
const QUOTED = /((?:\b(?:say|ask|try)\b(?: for example| for)?:?|اكتب(?: مثلًا)?|جرّب:) )“([^“”]{2,200})”/giu;
const LIST_FOLLOWS = /(?:\b(?:you could (?:say|ask)|try|for example)|تكتب|مثلًا):\s*$/iu;
const ISOLATES = /[\u2066-\u2069]/g;
const OWN = "a, code, pre, [role=button]";

/** The HTML with a button for each proposal; `data-say` is the request, and `labels` are the texts shown for some of them. */
export function withSayings(html: string, labels: ReadonlyMap<string, string> = new Map()): string {
  if (!/say|ask|try|example|كتب|مثلًا/i.test(html)) return html;
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const list of page.querySelectorAll("ul, ol")) {
    if (!LIST_FOLLOWS.test(list.previousElementSibling?.textContent ?? "")) continue;
    for (const item of list.querySelectorAll(":scope > li")) {
      const text = item.textContent?.trim() ?? "";
      if (text !== "") item.replaceChildren(button(page, text, labels));
    }
  }
  for (const text of textsOf(page.body)) {
    const parts = split(page, text.data, labels);
    if (parts !== null) text.replaceWith(...parts);
  }
  return page.body.innerHTML;
}

function textsOf(root: Element): Text[] {
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (text.parentElement?.closest(OWN) == null) found.push(text);
  }
  return found;
}

function split(page: Document, text: string, labels: ReadonlyMap<string, string>): (string | HTMLElement)[] | null {
  const parts: (string | HTMLElement)[] = [];
  let at = 0;
  for (const found of text.matchAll(QUOTED)) {
    const [whole, before = "", words = ""] = found;
    parts.push(text.slice(at, found.index) + before, button(page, words, labels));
    at = found.index + whole.length;
  }
  return at === 0 ? null : [...parts, text.slice(at)];
}

/** Not <button>, as for figures: it has to break with the line. */
function button(page: Document, quoted: string, labels: ReadonlyMap<string, string>): HTMLElement {
  const text = quoted.replace(ISOLATES, "");
  const made = page.createElement("span");
  made.className = "saying";
  made.tabIndex = 0;
  made.setAttribute("role", "button");
  made.dataset["say"] = text;
  made.dir = "auto";
  made.textContent = labels.get(text) ?? text;
  return made;
}

/** What is left open, as in "label … by …", the person has to write. */
export const isOpen = (text: string): boolean => text.includes("…");
