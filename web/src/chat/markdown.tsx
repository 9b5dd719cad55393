/**
 * Markdown as safe HTML. What a model or a table wrote is untrusted: only a few tags pass, nothing is loaded from
 * anywhere (images become links), and links lead only to http, https and mail.
 */
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "preact/hooks";

const TAGS = [
  "p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a", "h1", "h2", "h3", "h4",
  "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
];
const LINK = /^(https?:|mailto:)/i;

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`,
    html: ({ text }) => escaped(text),
  },
});
const purify = DOMPurify(window);

purify.addHook("afterSanitizeAttributes", (node) => {
  if (!(node instanceof HTMLAnchorElement)) return;
  node.target = "_blank";
  node.rel = "noopener noreferrer nofollow";
});

export function toHtml(markdown: string): string {
  if (!purify.isSupported) return escaped(markdown);
  const html = marked.parse(markdown, { async: false });
  const safe = purify.sanitize(html, { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: ["href", "start", "align"], ALLOWED_URI_REGEXP: LINK });
  return safe.replaceAll("<table>", '<div class="table-scroll" tabindex="0"><table>').replaceAll("</table>", "</table></div>");
}

export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => toHtml(text), [text]);
  return <div class="markdown" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
