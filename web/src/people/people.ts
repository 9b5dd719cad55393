/** Who is on the map, what they point at, and whom this page follows. Fed by the session only. */
import { computed, signal } from "@preact/signals";
import { t } from "../i18n/i18n";
import type { Gestures, JoinAck, Pointing, Someone } from "../protocol/types";
import { counted, known } from "../store/presence";
import { local } from "../browser/storage";

const NAME = "geoagent.name";

/** Distinct on light and dark maps, and white text is readable on each. */
const COLOURS = ["#0b6e99", "#a33b20", "#5b3f9e", "#1f7a4d", "#9c2f6b", "#7a5a00", "#2b59c3", "#8a2f2f"] as const;

export const me = signal("");
/** This page came by a view link. */
const looking = signal(false);
export const myName = signal(local.getItem(NAME) ?? "");
export const gestures = signal<ReadonlyMap<string, Pointing>>(new Map());
export const following = signal<string | null>(null);

export const others = computed(() => known.value.filter((person) => person.id !== me.value));
/** Those who can be followed: viewers are quiet. */
export const editors = computed(() => others.value.filter((person) => !person.viewer));

/** Features that others point at, as MapLibre is to mark them. */
export interface OthersMark {
  layerId: string;
  ids: (string | number)[];
  colour: string;
}

let last = { key: "", marks: [] as OthersMark[] };

export const othersMarks = computed<OthersMark[]>(() => {
  const marks = editors.value.flatMap((person): OthersMark[] => {
    const selection = gestures.value.get(person.id)?.selection;
    if (selection == null || selection.feature_ids.length === 0) return [];
    return [{ layerId: selection.layer_id, ids: selection.feature_ids, colour: colourOf(person) }];
  });
  // Pointers move all the time; what is marked is only new when it is another.
  const key = JSON.stringify(marks);
  if (key !== last.key) last = { key, marks };
  return last.marks;
});

/** How many others are on the map, and how many of them only look. */
export const crowd = computed(() => {
  const { count, viewers } = counted.value;
  const named = others.value.length;
  return {
    count: Math.max(count - 1, named),
    viewers: Math.max(viewers - (looking.value ? 1 : 0), named - editors.value.length),
  };
});

export function joined({ person, gestures: pointing, may_change }: JoinAck): void {
  me.value = person;
  looking.value = may_change === false;
  gestures.value = new Map((pointing ?? []).map((each) => [each.person, each]));
}

/** Only the fields that came have changed. */
export function moved({ people }: Gestures): void {
  const next = new Map(gestures.value);
  for (const each of people) if (each.person !== me.value) next.set(each.person, { ...next.get(each.person), ...each });
  gestures.value = next;
}

/** People who are gone point at nothing, and cannot be followed. */
export function present(people: readonly string[]): void {
  const there = new Set(people);
  if ([...gestures.value.keys()].some((id) => !there.has(id))) {
    gestures.value = new Map([...gestures.value].filter(([id]) => there.has(id)));
  }
  if (following.value !== null && !there.has(following.value)) following.value = null;
}

/** A name was given to the others once, and so must be taken back from them. */
export const wasNamed = (): boolean => known.value.some(({ id, name }) => id === me.value && name !== "");

export function keepName(name: string): void {
  myName.value = name.trim().slice(0, 40);
  local.setItem(NAME, myName.value);
}

export const nameOf = (person: Someone): string => person.name || t(person.viewer ? "viewer" : "guest");

/** The same for everybody who looks, and after a reconnection too where there is a name. */
export function colourOf(person: Someone): string {
  let sum = 0;
  for (const letter of person.name || person.id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 100_003;
  return COLOURS[sum % COLOURS.length] ?? COLOURS[0];
}

export function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return words.slice(0, 2).map((word) => [...word][0]?.toLocaleUpperCase() ?? "").join("");
}
