/**
 * The search box over the map: places from the tables, coordinates, layers and tables, in groups, as an ARIA
 * combobox. Choosing looks there and marks it; only a table is added to the map.
 */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { number, t } from "../i18n/i18n";
import { searchTables } from "../data/tables";
import type { Place, Table } from "../protocol/types";
import { zoomTo } from "../session/camera";
import { addLayer, findPlaces } from "../session/commands";
import { layers, mayChange } from "../store/store";
import { Icon, IconButton } from "../ui/icons";
import { covered } from "../ui/page/sheet";
import { asText, lookAt } from "./look";
import { pin } from "./state";
import { MOST, type Result, results } from "./results";

const PAUSE = 250;

export function SearchBox() {
  const words = useSignal("");
  const open = useSignal(false);
  const active = useSignal(0);
  const { places, notSearched, tables, busy } = useFound(words);
  const found = useComputed(() => results(words.value, layers.value, places.value, tables.value));
  const input = useRef<HTMLInputElement>(null);
  const shown = open.value && words.value.trim() !== "";
  const at = Math.min(active.value, found.value.length - 1);
  const take = (result: Result) => {
    open.value = false;
    words.value = result.group === "tables" ? "" : titleOf(result);
    choose(result);
    // On a phone it lies over the map that one wants to see now.
    if (covered.value > 0) input.current?.blur();
  };
  const clear = () => {
    words.value = "";
    pin.value = null;
    input.current?.focus();
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => (open.value = true, active.value = shown && at + 1 < found.value.length ? at + 1 : 0),
    ArrowUp: () => (open.value = true, active.value = at > 0 ? at - 1 : found.value.length - 1),
    Enter: () => { const result = found.value[at]; if (shown && result !== undefined) take(result); },
    Escape: () => (shown ? (open.value = false) : clear()),
  };
  return (
    <div
      class="search" role="search"
      onFocusOut={(event) => { if (!event.currentTarget.contains(event.relatedTarget as Node | null)) open.value = false; }}
    >
      <div class="search-field card">
        <Icon name="search" />
        <input
          ref={input} type="text" role="combobox" aria-label={t("search")} placeholder={t("searchHint")} value={words.value}
          dir={words.value === "" ? undefined : "auto"} maxLength={200} autocomplete="off" spellcheck={false} enterkeyhint="search"
          aria-autocomplete="list" aria-expanded={shown} aria-controls="search-results" aria-keyshortcuts="Control+/"
          {...(shown && found.value.length > 0 && { "aria-activedescendant": `search-${at}` })}
          onInput={(event) => { words.value = event.currentTarget.value; open.value = true; active.value = 0; }}
          onKeyDown={(event) => {
            if (event.isComposing || keys[event.key] === undefined) return;
            event.preventDefault();
            keys[event.key]?.();
          }}
        />
        {words.value !== "" && <IconButton icon="close" label={t("searchClear")} onClick={clear} />}
      </div>
      <div class="search-list card" id="search-results" role="listbox" aria-label={t("searchResults")} hidden={!shown}>
        {shown && notSearched.value.length > 0 && (
          <p class="quiet" role="presentation" dir="auto">{t("notSearched", { tables: notSearched.value.map(shortName).join(", ") })}</p>
        )}
        {shown && <Groups found={found.value} at={at} take={take} />}
        {shown && found.value.length === 0 && <p class="quiet" role="presentation">{busy.value ? t("searching") : t("searchNothing")}</p>}
      </div>
      <div class="hidden" role="status">
        {shown && !busy.value ? t("searchCount", { n: found.value.length }) : ""}
        {shown && notSearched.value.length > 0 ? ` ${t("notSearched", { tables: notSearched.value.map(shortName).join(", ") })}` : ""}
      </div>
    </div>
  );
}

/** What the server finds for the words, once the person has stopped typing; late answers to other words do not count. */
function useFound(words: { value: string }) {
  const places = useSignal<Place[]>([]);
  const notSearched = useSignal<string[]>([]);
  const tables = useSignal<Table[]>([]);
  const busy = useSignal(false);
  // With a view link, only features on the map are found, not other tables.
  const asked = mayChange.value ? words.value.trim() : "";
  useEffect(() => {
    let isLate = false;
    busy.value = asked.length > 1;
    [places.value, notSearched.value, tables.value] = [[], [], []];
    const ask = async () => {
      const found = await Promise.all([findPlaces(asked, MOST.places), searchTables(asked, MOST.tables)]);
      if (isLate) return;
      [{ places: places.value, notSearched: notSearched.value }, tables.value] = found;
      busy.value = false;
    };
    const timer = asked.length > 1 ? setTimeout(() => void ask(), PAUSE) : undefined;
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [asked]);
  return { places, notSearched, tables, busy };
}

function Groups({ found, at, take }: { found: Result[]; at: number; take: (result: Result) => void }) {
  const names = { coordinates: t("coordinates"), layers: t("layers"), places: t("places"), tables: t("tables") };
  const groups = [...new Set(found.map((result) => result.group))];
  return (
    <>
      {groups.map((group) => (
        <div key={group} role="group" aria-labelledby={`search-${group}`}>
          <div class="search-group" id={`search-${group}`} role="presentation">{names[group]}</div>
          {found.map((result, index) => result.group === group && (
            <div
              key={index} id={`search-${index}`} class="search-option" role="option" aria-selected={index === at}
              ref={(it) => { if (index === at) it?.scrollIntoView?.({ block: "nearest" }); }}
              onPointerDown={(event) => event.preventDefault()} onClick={() => take(result)}
            >
              <Icon name={ICONS[group]} />
              <span dir="auto">{titleOf(result)}</span>
              <span class="quiet" dir="auto">{detailOf(result)}</span>
            </div>
          ))}
        </div>
      ))}
    </>
  );
}

const ICONS = { coordinates: "target", layers: "layers", places: "pin", tables: "plus" } as const;

function titleOf(result: Result): string {
  if (result.group === "coordinates") return asText(result.reading);
  if (result.group === "layers") return result.layer.name;
  return result.group === "places" ? result.place.name : shortName(result.table.id);
}

function shortName(table: string): string {
  return table.replace(/^data\./, "");
}

function detailOf(result: Result): string {
  switch (result.group) {
    case "coordinates": {
      const { order } = result.reading;
      return order === "named" ? "" : order === "latLon" ? t("latitudeFirst") : t("longitudeFirst");
    }
    case "layers": return t("zoomTo");
    case "places": {
      const { kind, detail, population } = result.place;
      return [kind, detail, population === null ? "" : t("placePopulation", { n: number(population) })].filter((it) => it !== "").join(" · ");
    }
    case "tables": return t("addToMap");
  }
}


function choose(result: Result): void {
  switch (result.group) {
    case "layers": return zoomTo(result.layer.bounds ?? null);
    case "tables": return void addLayer(result.table.id);
    case "places": {
      const { name, longitude, latitude, bounds } = result.place;
      pin.value = { name, longitude, latitude };
      return zoomTo(bounds);
    }
    case "coordinates": return lookAt(result.reading);
  }
}
