/**
 * All attributes of a feature that is looked at. Tiles carry only some of them where the map shows much at once, so
 * the whole row is fetched when the card opens; until it comes, what the tile has is shown.
 */
import { effect, signal } from "@preact/signals";
import { tableOf } from "../../data/tables";
import { layers, map } from "../../store/store";
import { ofLayer, readRows, type Row } from "../../data/rows";
import { type Found, inspect } from "../../instance/selection";

const whole = signal<ReadonlyMap<string, Row>>(new Map());
const asked = new Set<string>();

export function attributesOf(found: Found): Row {
  const row = whole.value.get(nameOf(found));
  return row ?? found.properties;
}

effect(() => {
  const found = inspect.value?.found[inspect.value.index];
  if (found === undefined || found.id === null) return;
  const layer = layers.value.find((it) => it.id === found.layerId);
  const key = layer === undefined ? null : tableOf(layer.table)?.key;
  const [column] = key ?? [];
  if (key?.length === 1 && column !== undefined) void read(found, column);
});

async function read(found: Found, column: string): Promise<void> {
  const name = nameOf(found);
  if (map.value === null || asked.has(name)) return;
  asked.add(name);
  try {
    const filter = { op: "=", args: [{ property: column }, found.id] };
    const [row] = (await readRows(map.value.mapId, ofLayer(found.layerId), { limit: 1, filter })).rows;
    if (row !== undefined) whole.value = new Map(whole.value).set(name, row);
  } catch {
    asked.delete(name);
  }
}

function nameOf({ layerId, id }: Found): string {
  const version = layers.value.find((layer) => layer.id === layerId)?.version;
  return `${layerId} ${version} ${id}`;
}
