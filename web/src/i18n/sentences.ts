/**
 * Sentences of the server by their fixed parts: `{name:kind}` in a template is a value of that kind, and the sentence in
 * another language has the same values. Loaded with a language that has such templates. Pure.
 */
import { filled, number } from "./i18n";

/** A figure of an answer has a mark on either side. */
const NUMBER = String.raw`(?:\uE000\d+\uE001)?-?[\d,]*\d(?:\.\d+)?(?: (?:million|billion))?\uE002?`;

/** What a value looks like. `count` is a number with its noun, `rest` is worded by the fragments that follow each other. */
const KINDS = {
  bold: String.raw`\*\*(?:\\.|[^*\\])+\*\*`,
  code: "`[^`]+`",
  number: NUMBER,
  count: String.raw`(?:about )?${NUMBER} \p{L}[\p{L} ]*?(?!\p{L})`,
  column: String.raw`[a-z]\w*(?= (?:is|contains|starts|ends|between|[<>=≤≥]))`,
  names: String.raw`[a-z][\w.]*(?:, [a-z][\w.]*)*(?: and [\d,]+ more)?`,
  text: String.raw`\S.*?`,
  rest: ".*?",
} as const;

type Kind = keyof typeof KINDS;
type Slot = { name: string; kind: Kind };

/** A template of the server, and what it is in the language. */
export type Template = readonly [server: string, own: string];

export interface Vocabulary {
  /** Whole sentences; the first that fits counts. */
  sentences: readonly Template[];
  /** Pieces of sentences, such as the look of a layer or its condition. */
  fragments: readonly Template[];
  /** By the singular and the plural: a number with its noun, as `{n|one=…|other=# …}`. */
  nouns: Readonly<Record<string, string>>;
  about: string;
}

interface Reader {
  pattern: RegExp;
  slots: Slot[];
  own: string;
}

/** The text with every sentence that a template fits in the other language; Markdown's lines stay lines. */
export function sentencesIn(vocabulary: Vocabulary): (text: string) => string {
  const sentences = vocabulary.sentences.map((it) => reader(it, String.raw`(?=\s|$)`));
  const fragments = vocabulary.fragments.map((it) => reader(it, /[\w}]$/.test(it[0]) ? String.raw`(?!\w)` : ""));
  const fragmentsOf = (text: string) => replaced(text, fragments, /\s+|\S+/uy, (value) => value) ?? isolated(text);
  const written = (value: string, kind: Kind) => {
    if (kind === "number") return localNumber(value);
    if (kind === "count") return countOf(value, vocabulary);
    if (kind === "rest") return fragmentsOf(value);
    return kind === "bold" ? `**\u2068${value.slice(2, -2)}\u2069**` : `\u2068${value}\u2069`;
  };
  const line = (text: string) => {
    if (text.startsWith("|")) return text;
    const [, start = "", body = ""] = /^(\s*(?:- )?)(.*)$/su.exec(text) ?? [];
    return start + (replaced(body, sentences, /\s+|.+?[.!?:](?=\s|$)|.+/suy, written) ?? body);
  };
  return (text) => text.split("\n").map(line).join("\n");
}

/** Goes through the text: what a reader fits is worded, what none does stays; null if none fits anything. */
function replaced(text: string, readers: readonly Reader[], piece: RegExp, written: (value: string, kind: Kind) => string): string | null {
  const parts: string[] = [];
  let isWorded = false;
  let kept = "";
  for (let at = 0; at < text.length;) {
    const [found, words] = read(text, at, readers, written) ?? [take(piece, text, at), null];
    if (words === null) kept += found;
    else {
      isWorded = true;
      parts.push(isolated(kept), words);
      kept = "";
    }
    at += found.length;
  }
  return isWorded ? parts.join("") + isolated(kept) : null;
}

/** What stays is in its own direction as a whole: `elevation > 5` must not be read from the right. */
function isolated(text: string): string {
  return text.replace(/\S(?:.*\S)?/su, "\u2068$&\u2069");
}

function read(text: string, at: number, readers: readonly Reader[], written: (value: string, kind: Kind) => string): [string, string] | null {
  for (const { pattern, slots, own } of readers) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) continue;
    const values = slots.map(({ name, kind }, index) => [name, written(found[index + 1] ?? "", kind)] as const);
    return [found[0], insert(own, Object.fromEntries(values))];
  }
  return null;
}

/** Values are in their own direction already, so they are not filled in as `t` does it. */
function insert(own: string, values: Record<string, string>): string {
  return own.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function take(piece: RegExp, text: string, at: number): string {
  piece.lastIndex = at;
  return piece.exec(text)?.[0] ?? "";
}

function reader([server, own]: Template, end: string): Reader {
  const slots: Slot[] = [];
  const source = server.split(/(\{\w+:\w+\})/).map((part) => {
    const slot = /^\{(\w+):(\w+)\}$/.exec(part);
    if (slot === null) return part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const kind = slot[2] as Kind;
    slots.push({ name: slot[1] ?? "", kind });
    return `(${KINDS[kind]})`;
  });
  return { pattern: new RegExp(source.join("") + end, "suy"), slots, own };
}

/** The number as people of this language write it, with its mark. */
function localNumber(text: string): string {
  const [, before = "", digits = "", unit = "", after = ""] = /^(\uE000\d+\uE001)?([-\d,.]+)( million| billion)?(\uE002)?$/u.exec(text) ?? [];
  const size = unit === " million" ? 1e6 : unit === " billion" ? 1e9 : 1;
  const value = Number(digits.replaceAll(",", "")) * size;
  if (digits === "" || !Number.isFinite(value)) return text;
  const decimals = size === 1 ? (digits.split(".")[1]?.length ?? 0) : 0;
  const own = size === 1 ? number(value, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    : number(value, { notation: "compact", compactDisplay: "long", minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
  return before + own + after;
}

function countOf(text: string, { nouns, about }: Vocabulary): string {
  const [, vague, figure = "", noun = ""] = /^(about )?(.*?\d[\d,.]*(?: million| billion)?\uE002?) (.+)$/su.exec(text) ?? [];
  const forms = nouns[noun] ?? `{n|zero=#|one=#|two=#|few=#|many=#|other=#} \u2068${noun}\u2069`;
  const value = Number(figure.replace(/\uE000\d+\uE001|[^\d.]/gu, ""));
  // The plural form is that of the value, and in its place stands the number with its mark.
  const words = filled(forms.replaceAll("#", "\uE003"), { n: value }).replaceAll("\uE003", localNumber(figure));
  return vague === undefined ? words : `${about} ${words}`;
}
