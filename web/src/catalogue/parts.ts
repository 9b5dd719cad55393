/**
 * Files on their way to becoming tables. Each `Part` is one table to be: a file, or one layer of it. It is read by the server
 * first (`staged`), shown on the map, and loaded when the person has decided what it becomes.
 */
import { signal } from "@preact/signals";
import type { FeatureCollection } from "geojson";
import type { Bounds } from "../geometry/types";
import type { Part as Wording } from "../protocol/types";

/** What the server found in a file. */
export interface Staged {
  /** Its number, by which the server knows it. */
  staged: number;
  rows: number;
  geometry_type: string | null;
  srid: number | null;
  /** The name of the reference system. */
  reference: string | null;
  columns: string[];
  problems: string[];
  remarks: string[];
  /** The pieces of problems and remarks, by their text. */
  wordings: Record<string, Wording[]>;
  bounds: Bounds | null;
  shapes: FeatureCollection;
}

/** What came of it. */
export interface Report {
  table: string;
  /** Of the table, now. */
  rows: number;
  remarks: string[];
  wordings: Record<string, Wording[]>;
  /** Whether other maps see the table, too. */
  shared: boolean;
}

export type Mode = "new" | "append" | "replace";

export interface Part {
  id: number;
  file: File;
  /** One of several in the file; null for the only one. */
  layer: string | null;
  /** All layers of the file become one table, with a column that names the layer. */
  united: boolean;
  name: string;
  mode: Mode;
  /** The table to append to or to replace. */
  target: string;
  /** An EPSG code that the person gave, or empty: as the file says. */
  srid: string;
  isChosen: boolean;
  /** Cut shapes of too many vertices into pieces. */
  subdivide: boolean;
  state: "ready" | "sending" | "staged" | "loading" | "done" | "failed";
  /** How much has been sent, from 0 to 1. */
  share: number;
  /** Why it failed. */
  message: string;
  /** What was changed for the person, such as a name that was taken. */
  notice: string;
  staged: Staged | null;
  report: Report | null;
}

/** What the panel shows. */
export const parts = signal<readonly Part[]>([]);
let count = 0;

export function change(id: number, by: Partial<Part>): void {
  parts.value = parts.value.map((it) => (it.id === id ? { ...it, ...by } : it));
}

export const partOf = (id: number): Part | undefined => parts.value.find((it) => it.id === id);

export function newPart(file: File, layer: string | null = null): Part {
  return {
    id: ++count, file, layer, united: false, name: layer ?? stem(file.name), mode: "new", target: "", srid: "", isChosen: layer === null,
    subdivide: false, state: "ready", share: 0, message: "", notice: "", staged: null, report: null,
  };
}

/** The layers of a file that are still to be decided on, if there are several. */
export const layersOf = (file: File): readonly Part[] =>
  parts.value.filter((it) => it.file === file && it.layer !== null && it.state !== "done" && it.state !== "loading");

/** The layers that a file turned out to have take its place; none is chosen yet. */
export function split(id: number, layers: readonly string[]): void {
  parts.value = parts.value.flatMap((it) => (it.id === id ? layers.map((layer) => newPart(it.file, layer)) : [it]));
}

/** One table of all layers of a file takes the place of one for each; the parts that are left out. */
export function unite(file: File): { whole: Part; left: readonly Part[] } {
  const left = layersOf(file);
  const whole = { ...newPart(file), united: true };
  parts.value = parts.value.flatMap((it) => (it.id === left[0]?.id ? [whole] : left.includes(it) ? [] : [it]));
  return { whole, left };
}

/** What can be loaded now. */
export const waiting = (): readonly Part[] => parts.value.filter(({ state, isChosen }) => isChosen && state === "staged");

/** The next name after one that is taken. */
export function nextName(name: string): string {
  const number = /_(\d+)$/.exec(name);
  return number === null ? `${name}_2` : name.replace(/\d+$/, String(Number(number[1]) + 1));
}

const stem = (name: string): string => name.replace(/(\.\w{1,10}){1,2}$/, "");
