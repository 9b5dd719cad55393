/**
 * Markdown as safe HTML. What a model or a table wrote is untrusted: only a few tags pass, nothing is loaded from
 * anywhere (images become links), and links lead only to http, https and mail.
 */
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "preact/hooks";
import { type ButtonWords, marked as withMarks, withButtons } from "./marks";
import { direction, inOwnWords, language, requestsIn, t } from "../../i18n/i18n";
import type { Figure, Part } from "../../protocol/types";
import { map } from "../../store/store";
import { withSayings } from "../suggestions/sayings";

const TAGS = [
  "p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a", "h1", "h2", "h3", "h4",
  "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
];
const LINK = /^(https?:|mailto:|exports\/[\w-]+\/)/i;
const EXPORT = /^exports\/[\w-]+\//;

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
  const link = node.getAttribute("href") ?? "";
  if (EXPORT.test(link)) {
    // A file of this map; its name follows its id, and nothing of the address leaves the map's own.
    const [, id, name] = link.split("/");
    node.href = `/api/maps/${map.value?.mapId ?? ""}/exports/${id}/${name ?? ""}`;
    node.download = "";
  }
  node.target = "_blank";
  node.rel = "noopener noreferrer nofollow";
});

/** `figures` are the numbers of the text that can be asked where they come from. */
export function toHtml(markdown: string, figures: readonly Figure[] = [], wording?: readonly Part[]): string {
  if (!purify.isSupported) return escaped(markdown);
  const html = marked.parse(inOwnWords(markdown, wording, withMarks(markdown, figures)), { async: false });
  const safe = purify.sanitize(html, { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: ["href", "start", "align"], ADD_URI_SAFE_ATTR: ["start", "align"], ALLOWED_URI_REGEXP: LINK });
  const scrolling = safe.replaceAll("<table>", '<div class="table-scroll" tabindex="0"><table>').replaceAll("</table>", "</table></div>");
  return withButtons(scrolling, figures, words);
}

/** What Markdown says, without its signs: for screen readers. */
export function plainText(markdown: string, wording?: readonly Part[]): string {
  const html = withSayings(toHtml(markdown, [], wording), requestsIn(markdown, wording));
  return new DOMParser().parseFromString(html, "text/html").body.textContent?.trim() ?? "";
}

interface Props {
  text: string;
  figures?: readonly Figure[];
  /** How the server made the text. */
  wording?: readonly Part[];
  /** A figure was clicked, on this button. */
  onFigure?: (figure: Figure, button: HTMLElement) => void;
  /** Proposals in the text are buttons that call this with their words. */
  onSay?: (words: string) => void;
}

export function Markdown({ text, figures, wording, onFigure, onSay }: Props) {
  const mayAsk = onSay !== undefined;
  const html = useMemo(() => {
    const safe = toHtml(text, figures, wording);
    return mayAsk ? withSayings(safe, requestsIn(text, wording)) : safe;
  }, [text, figures, wording, mayAsk, language.value]);
  const open = (event: Event) => {
    const words = (event.target as Element).closest<HTMLElement>("[data-say]")?.dataset["say"];
    if (words !== undefined) return onSay?.(words);
    const button = (event.target as Element).closest<HTMLElement>("[data-figure]");
    const figure = button === null ? undefined : figures?.[Number(button.dataset["figure"])];
    if (button !== null && figure !== undefined) onFigure?.(figure, button);
  };
  const press = (event: KeyboardEvent) => {
    if ((event.key !== "Enter" && event.key !== " ") || !(event.target as Element).matches(".figure, .saying")) return;
    event.preventDefault();
    open(event);
  };
  // A text in the language of the page may begin with a name in another script.
  return <div class="markdown" dir={wording?.length ? direction.value : "auto"} onClick={open} onKeyDown={press} dangerouslySetInnerHTML={{ __html: html }} />;
}

function words(figure: Figure): ButtonWords {
  if (figure.source == null) return { title: t("figureUnfoundedText"), spoken: t("figureUnfounded") };
  return { title: t("figureOpen"), spoken: "" };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Whether the text has a table with rows. */
export const hasTable = (text: string): boolean => /^\|[ :|-]+\|$/m.test(text);
