/** Completion of what is being typed: `/` commands, and `@` names of layers, tables and columns. Pure. */
import type { Key } from "../../i18n/en";

export interface Completion {
  label: string;
  kind: "command" | "layer" | "table" | "column";
  /** What a command does. */
  help?: Key;
  /** The text that takes the place of what was typed. */
  text: string;
}

export interface Known {
  layers: readonly string[];
  tables: readonly string[];
  columns: readonly string[];
  /** Whether the server runs SQL that a person writes. */
  sql: boolean;
}

const MOST = 7;

/** Commands are whole requests: they are sent to the agent like any other words. */
const COMMANDS: Record<string, [text: string, help: Key]> = {
  "/tables": ["which tables are there?", "slashTables"],
  "/undo": ["undo", "undo"],
  "/redo": ["redo", "redo"],
  "/reset": ["reset the map", "slashReset"],
  "/help": ["help", "slashHelp"],
  "/sql": ["sql: SELECT ", "statement"],
};

/** The word at the caret that may be completed: where it begins, and its text. */
export function wordAt(text: string, caret: number): { start: number; word: string } | null {
  const before = text.slice(0, caret);
  const found = /(?:^|\s)([@/][^\s]*)$/.exec(before);
  const word = found?.[1];
  if (word === undefined || (word.startsWith("/") && before.trimStart() !== word)) return null;
  return { start: caret - word.length, word };
}

export function completions(word: string, known: Known): Completion[] {
  if (word.startsWith("/")) {
    return Object.entries(COMMANDS)
      .filter(([name]) => name.startsWith(word.toLowerCase()) && (known.sql || name !== "/sql"))
      .map(([label, [text, help]]) => ({ label, kind: "command", text, help }));
  }
  const wanted = word.slice(1).toLowerCase();
  const of = (names: readonly string[], kind: Completion["kind"]) => names.map((name): Completion => ({ label: name, kind, text: name }));
  const all = [...of(known.layers, "layer"), ...of(known.tables, "table"), ...of(known.columns, "column")];
  const rank = ({ label }: Completion) => {
    const at = label.toLowerCase().indexOf(wanted);
    return at === -1 ? -1 : at === 0 || /[._\s]/.test(label.charAt(at - 1)) ? 0 : 1;
  };
  const firstOf = new Map(all.toReversed().map((it) => [it.label, it]));
  return all
    .filter((it) => rank(it) >= 0 && firstOf.get(it.label) === it)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MOST);
}
