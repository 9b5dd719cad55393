/** State of this page only: the base map, the isolated layer, the moment of the past that is shown. */
import { computed, signal } from "@preact/signals";
import { BUILT_IN } from "../basemap/base";
import type { Base } from "../basemap/types";
import type { Pair } from "./sides";
import type { Bounds } from "../geometry/types";
import type { Chart, Layer, Part } from "../protocol/types";
import { mayChange } from "../store/store";
import { palette } from "../theme/theme";

export interface Config {
  model: string;
  /** Whether the first base map is shown to people who have not chosen one. */
  basemap: boolean;
  /** Base maps to choose from, beside the built-in one. */
  basemaps: { name: string; url: string; attribution: string | null }[];
  requests: { message: string; wording?: Part[] }[];
  /** Whether messages of the form `sql: SELECT …` are run. */
  sql: boolean;
  /** Whether datasets of Parquet files on the server may be registered. */
  lake: boolean;
  /** Colour ramps by name, as the server draws with them. */
  ramps: Record<"sequential" | "diverging" | "qualitative", Record<string, string[]>>;
}

export const config = signal<Config>({
  model: "",
  basemap: false,
  basemaps: [],
  requests: [],
  sql: false,
  lake: false,
  ramps: { sequential: {}, diverging: {}, qualitative: {} },
});

export const base = signal<Base>(BUILT_IN);

/** The base map follows the dark theme. */
export const isDark = computed(() => palette.value === "dark" && base.value.layers !== null);

/** The name of the base map that is shown: this person's choice, for all their maps. Empty: the built-in one. */
export const baseName = signal("");

/** The map may be made: it is known which base map is wanted. */
export const ready = signal(false);

export const isolated = signal<string | null>(null);

/** The saved view that this page shows, and the layers that it shows and hides on this page only. */
export const savedView = signal<{ id: string; name: string; visible: ReadonlyMap<string, boolean> } | null>(null);

/** Whether this page shows the layer: layers that came after the saved view are shown as everybody sees them. */
export const isShown = ({ id, visible }: Layer): boolean => savedView.value?.visible.get(id) ?? visible;

/** A moment of the history that this page looks at instead of now. */
export const past = signal<{ seq: number; at: string; layers: readonly Layer[]; charts: readonly Chart[] } | null>(null);

/** What two sides of the map show: two layers by id, or a moment of the past on the left and `now` on the right. */
export const compared = signal<Pair | "now" | null>(null);

/** Now is shown, and may be changed. */
export const mayChangeNow = computed(() => mayChange.value && past.value === null);

/** A place that another person's conversation points to. */
export const elsewhere = signal<Bounds | null>(null);

/** By turn, the layer that it drew or changed last while this page was open. */
export const drawnLast = signal<ReadonlyMap<string, string>>(new Map());
