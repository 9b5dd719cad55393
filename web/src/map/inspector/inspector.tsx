/** The attributes of a feature that was clicked, as text: nothing of it is ever read as HTML. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/i18n";
import { layers, mayChange } from "../../store/store";
import { ReturnFocus, useFocusOnOpen } from "../../ui/focus";
import { IconButton } from "../../ui/icons";
import { beginThread } from "../../instance/comments";
import { thinned } from "../tiles/thinned";
import { attributesOf } from "./attributes";
import { titleOf } from "../../data/titles";
import { formatValue } from "../../i18n/format";
import { type Found, inspect, type Inspection } from "../../instance/selection";

/** Called with the place of the click when the card opens on it. */
type Opened = (at: readonly [number, number], card: Element) => void;

export function Inspector({ opened }: { opened: Opened }) {
  const value = inspect.value;
  const found = value?.found[value.index];
  if (value === null || found === undefined) return null;
  return <Card value={value} found={found} opened={opened} />;
}

/** Where a cell's numbers are not counted from all rows of the table. */
function Estimated({ layerId }: { layerId: string }) {
  const kind = thinned.value.get(layerId)?.kind;
  if (kind === undefined) return null;
  return <div class="quiet">{t(kind === "sample" ? "cellsSampleHint" : "cellsOverviewHint")}</div>;
}

function Card({ value, found, opened }: { value: Inspection; found: Found; opened: Opened }) {
  const box = useRef<HTMLDivElement>(null);
  useFocusOnOpen(box);
  useLayoutEffect(() => {
    if (value.at !== undefined && box.current !== null) opened(value.at, box.current);
  }, [value.at]);
  const title = titleOf(attributesOf(found));
  const rows = Object.entries(attributesOf(found)).filter(([name]) => name !== title?.name && !name.startsWith("@"));
  const go = (step: number) => {
    const count = value.found.length;
    inspect.value = { ...value, index: (value.index + step + count) % count };
  };
  return (
    <div ref={box} class="inspector card" role="dialog" tabIndex={-1} aria-label={t("details")} onKeyDown={(event) => {
      if (event.key === "Escape") inspect.value = null;
      if (event.key === "ArrowLeft") go(-1);
      if (event.key === "ArrowRight") go(1);
    }}>
      <ReturnFocus />
      <header>
        <div class="inspector-titles">
          <div class="inspector-layer" dir="auto">{layerName(found)}</div>
          {title !== null && <h2 dir="auto">{title.text}</h2>}
        </div>
        {mayChange.value && value.at !== undefined && (
          <IconButton icon="comment" label={t("commentHere")} onClick={() => value.at !== undefined && beginThread(value.at, found)} />
        )}
        <IconButton icon="close" label={t("close")} onClick={() => (inspect.value = null)} />
      </header>
      <dl tabIndex={0}>
        {rows.map(([name, it]) => (
          <div key={name}>
            <dt dir="auto">{breakable(name)}</dt>
            <dd dir="auto"><Value name={name} value={it} /></dd>
          </div>
        ))}
        {rows.length === 0 && title === null && <div class="quiet">{t("noAttributes")}</div>}
        {"@cell" in found.properties && <Estimated layerId={found.layerId} />}
        {value.listed !== undefined && <div class="quiet">{t("cellListed", { n: value.listed })}</div>}
      </dl>
      {value.found.length > 1 && (
        <footer>
          <IconButton icon="chevronLeft" label={t("previous")} onClick={() => go(-1)} />
          <span aria-live="polite">{t("featureOf", { position: value.index + 1, count: value.found.length })}</span>
          <IconButton icon="chevronRight" label={t("next")} onClick={() => go(1)} />
        </footer>
      )}
    </div>
  );
}

function layerName(found: Found): string {
  return layers.value.find((layer) => layer.id === found.layerId)?.name ?? found.layerId;
}

function Value({ name, value }: { name: string; value: unknown }) {
  if (value === null || value === undefined || value === "") return <span class="quiet">{t("empty")}</span>;
  if (typeof value === "string" && /^https?:\/\/[^\s]+$/i.test(value)) {
    return <a href={value} target="_blank" rel="noopener noreferrer nofollow">{value}</a>;
  }
  return <>{formatValue(name, value)}</>;
}

/** A long name breaks where its words end. */
function breakable(name: string) {
  return name.split(/(?<=_)/).flatMap((part, at) => (at === 0 ? [part] : [<wbr key={at} />, part]));
}
