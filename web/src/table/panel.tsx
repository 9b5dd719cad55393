/**
 * The attribute table of a layer, or the rows of a table without geometry: pages come from the server as one scrolls, only the rows in view are drawn, a row
 * and its feature on the map know of each other.
 */
import { useSignal } from "@preact/signals";
import { defaultRangeExtractor } from "@tanstack/virtual-core";
import { useEffect, useRef } from "preact/hooks";
import { number, rounded, t } from "../i18n/i18n";
import { tableOf } from "../data/tables";
import { formatValue } from "../i18n/format";
import type { Layer } from "../protocol/types";
import { boxed, inspect, marked } from "../instance/selection";
import { connections, layers, map } from "../store/store";
import { ReturnFocus } from "../ui/focus";
import { IconButton } from "../ui/icons";
import { useVirtualizer } from "../ui/virtual";
import { type Page, readRows, type Row, type Subject } from "../data/rows";
import { subjectOf, tableOpen } from "../instance/table";
import { template, useColumns } from "./columns";
import { Head } from "./head";
import { Statistics } from "./statistics";
import { type Width, widthsOf } from "./widths";
import { MOST, ROW, type Scroll, scrolled, settled, type View } from "./scroll";

const PAGE = 100;
/** Pages that are kept; those that were read first go first. */
const KEPT = 60;
/** Milliseconds of rest before a page is asked for, and before the scroll bar goes where it belongs. */
const PAUSE = 60;
const REST = 200;

const NO_COLUMNS: readonly Width[] = [];

export function TablePanel() {
  const open = tableOpen.value;
  if (open === null || map.value === null) return null;
  const layer = "layer" in open ? layers.value.find((it) => it.id === open.layer) : undefined;
  if ("layer" in open && layer === undefined) return null;
  const { name, count, estimated } = "layer" in open ? (layer as Layer) : open;
  // A new name or look leaves the rows and the place in them as they are.
  const version = layer === undefined ? subjectOf(open).id : `${layer.id} ${layer.table} ${JSON.stringify(layer.filter)}`;
  return (
    <section class="table-panel card" aria-label={t("tableOf", { name })}>
      <ReturnFocus />
      <header>
        <h2 dir="auto">{name}</h2>
        <span class="quiet">{estimated ? t("tableRows", { n: rounded(count) }) : t("rowCount", { n: count })}</span>
        <IconButton icon="close" label={t("close")} onClick={() => (tableOpen.value = null)} />
      </header>
      <Grid key={version} mapId={map.value.mapId} subject={subjectOf(open)} table={layer === undefined ? subjectOf(open).id : layer.table} />
    </section>
  );
}

/** Where the files of a lake table do not answer, the sample in the database does. */
function SampleNote({ table }: { table: string }) {
  const lake = tableOf(table)?.lake;
  if (lake == null) return null;
  return <p class="table-note quiet" role="note">{t("tableSample", { n: number(lake.sample_rows), rows: number(lake.rows) })}</p>;
}

function Grid({ mapId, subject, table }: { mapId: string; subject: Subject; table: string }) {
  const pages = useSignal<ReadonlyMap<number, Page>>(new Map());
  const fault = useSignal<string | null>(null);
  const again = useSignal(0);
  const scroll = useSignal<Scroll>({ top: 0, shift: 0 });
  /** The column whose statistics are shown. */
  const about = useSignal<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const asked = useRef(new Set<string>());
  /** By the rows that came first: columns keep their widths while rows come and go. */
  const measured = useRef(NO_COLUMNS);
  // The newest: another order may come from a sample, with fewer rows.
  const any = [...pages.value.values()].at(-1);
  if (measured.current.length === 0 && any !== undefined) measured.current = widthsOf(any.columns, any.rows);
  const columns = useColumns(measured.current);
  const order = columns.atoms.sorting.get()[0];
  const total = any?.total ?? 0;
  // Asked for at the moment, for the box is there, and as high as it is, only after it was drawn.
  const view = (): View => ({ total, height: (box.current?.clientHeight ?? 320) - ROW });
  const { shift } = scroll.value;
  const focused = useRef(-1);
  const virtualizer = useVirtualizer({
    count: Math.min(total, MOST), getScrollElement: () => box.current, estimateSize: () => ROW, overscan: 2,
    rangeExtractor: (range) => withFocused(defaultRangeExtractor(range), focused.current - shift, range.count),
  });
  const rows = virtualizer.getVirtualItems();
  const [first, last] = [virtualizer.range?.startIndex ?? 0, virtualizer.range?.endIndex ?? 0].map((row) => row + shift) as [number, number];
  const want = (index: number) => {
    const [column, descending] = [order?.id ?? null, order?.desc ?? false];
    const name = `${index} ${column} ${descending}`;
    if (asked.current.has(name)) return;
    asked.current.add(name);
    readRows(mapId, subject, { limit: PAGE, offset: index * PAGE, total, sort: column, descending }).then(
      (page) => {
        if (columns.atoms.sorting.get()[0] !== order) return;
        const kept = [...pages.value].slice(-KEPT + 1);
        for (const [old] of pages.value) if (!kept.some(([it]) => it === old)) asked.current.delete(`${old} ${column} ${descending}`);
        pages.value = new Map(kept).set(index, page);
        fault.value = null;
      },
      (error: Error) => {
        asked.current.delete(name);
        fault.value = error.message;
      },
    );
  };
  useEffect(() => {
    const timer = setTimeout(() => {
      want(Math.floor(first / PAGE));
      if (total > 0) want(Math.floor(Math.min(last + 2, total - 1) / PAGE));
    }, total === 0 ? 0 : PAUSE);
    return () => clearTimeout(timer);
  }, [first, last, total, order, connections.value, again.value]);
  useEffect(() => {
    const timer = setTimeout(() => settle(box.current, scroll, view()), REST);
    return () => clearTimeout(timer);
  }, [scroll.value]);
  const note = fault.value !== null && (
    <p class="table-note" role="alert">
      {fault.value} <button type="button" class="link" onClick={() => (again.value += 1)}>{t("retry")}</button>
    </p>
  );
  if (any === undefined) return note || <div class="skeleton table-note" aria-hidden="true"><i class="w90" /><i class="w70" /></div>;
  const sort = (column: string) => {
    columns.getColumn(column)?.toggleSorting();
    pages.value = new Map([[-1, any]]);
    asked.current.clear();
    box.current?.scrollTo({ top: 0 });
    scroll.value = { top: 0, shift: 0 };
  };
  const names = columns.getVisibleLeafColumns().map(({ id }) => id);
  return (
    <>
      {note}
      {any.sampled_from !== undefined && <SampleNote table={table} />}
      {about.value !== null && <Statistics mapId={mapId} subject={subject} column={about.value} close={() => (about.value = null)} />}
      <div
        class="grid" ref={box} tabIndex={0} role="grid" aria-multiselectable="true" aria-rowcount={total} aria-label={t("rows")}
        onScroll={({ currentTarget: { scrollTop } }) => {
          if (scrollTop !== scroll.value.top) scroll.value = scrolled(scroll.value, scrollTop, view());
        }}
      >
        <div class="grid-inner" style={{ "--columns": template(columns), minWidth: `${columns.getTotalSize()}px` }}>
          <Head columns={columns} widths={measured.current} sort={sort} subject={subject} showStatistics={(column) => (about.value = column)} />
          <div
            class="grid-body" role="rowgroup" style={{ height: `${virtualizer.getTotalSize()}px` }}
            onFocusIn={({ target }) => (focused.current = Number((target as Element).getAttribute("aria-rowindex")) - 2)}
            onFocusOut={() => (focused.current = -1)}
          >
            {rows.map(({ index: slot, start }) => {
              const index = slot + shift;
              return (
                <GridRow
                  key={index} index={index} isFirst={index === first} y={start} columns={names} keyColumns={any.key} subject={subject}
                  row={pages.value.get(Math.floor(index / PAGE))?.rows[index % PAGE]}
                />
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}

/** The row with the focus stays in the page when it is scrolled away, and so do those that the arrow keys lead to. */
function withFocused(rows: readonly number[], focused: number, count: number): number[] {
  const kept = [focused - 1, focused, focused + 1].filter((row) => focused >= 0 && row >= 0 && row < count);
  return [...new Set([...kept, ...rows])].sort((a, b) => a - b);
}

/** The scroll bar goes where the row on top is among all, once nothing moves. */
function settle(box: HTMLElement | null, scroll: { value: Scroll }, view: View): void {
  // A bar at another position was moved: its scroll event comes with the next frame, and settles later.
  if (box === null || box.scrollTop !== scroll.value.top) return;
  const { top, shift } = settled(scroll.value, view);
  if (shift === scroll.value.shift) return;
  box.scrollTop = top;
  scroll.value = { shift, top: box.scrollTop };
  // The browser's own event comes later: until then the list would draw other rows.
  box.dispatchEvent(new Event("scroll"));
}

function GridRow({ row, index, isFirst, y, columns, keyColumns, subject }: {
  row: Row | undefined;
  index: number;
  isFirst: boolean;
  y: number;
  columns: string[];
  keyColumns: string[];
  subject: Subject;
}) {
  const [key] = keyColumns;
  const layerId = subject.id;
  const id = key === undefined || keyColumns.length > 1 || subject.kind === "tables" ? undefined : row?.[key];
  const isMarked = id !== undefined && marked.value?.layerId === layerId && marked.value.ids.some((it) => String(it) === String(id));
  const mark = () => {
    if (typeof id !== "number" && typeof id !== "string") return;
    inspect.value = null;
    boxed.value = isMarked ? null : { layerId, ids: [id] };
  };
  const keys = (event: KeyboardEvent) => {
    const { key, currentTarget } = event;
    const row = currentTarget as HTMLElement;
    const next = key === "ArrowDown" ? row.nextElementSibling : key === "ArrowUp" ? row.previousElementSibling : null;
    if (next === null && key !== "Enter") return;
    event.preventDefault();
    if (next === null) mark();
    else (next as HTMLElement).focus();
  };
  return (
    <div
      tabIndex={isFirst ? 0 : -1} onKeyDown={keys}
      class={isMarked ? "grid-row marked" : "grid-row"} role="row" aria-rowindex={index + 2} aria-selected={isMarked}
      style={{ transform: `translateY(${y}px)` }} onClick={mark}
    >
      {columns.map((column) => (
        <div key={column} role="gridcell" dir="auto" class={typeof row?.[column] === "number" ? "number" : ""}>
          {row === undefined ? "" : formatValue(column, row[column])}
        </div>
      ))}
    </div>
  );
}
