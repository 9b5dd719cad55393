/** The head of the attribute table: a column is sorted by its name, set wider or narrower at its edge, and has a menu. */
import { addChart } from "../charts/actions";
import { kindFor } from "../charts/form";
import type { Subject } from "../data/rows";
import { tableOf } from "../data/tables";
import { t } from "../i18n/i18n";
import { filtering } from "../layers/filter/filtering";
import { layers, mayChange } from "../store/store";
import { Icon } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { type Columns, fix, widen } from "./columns";
import type { Width } from "./widths";

/** Pixels by which a column is set wider or narrower by its menu. */
const STEP = 60;

export function Head({ columns, widths, sort, subject, showStatistics }: {
  columns: Columns;
  widths: readonly Width[];
  sort: (column: string) => void;
  subject: Subject;
  showStatistics: (column: string) => void;
}) {
  const numbers = new Set(widths.filter(({ isNumber }) => isNumber).map(({ name }) => name));
  return (
    <div class="grid-head" role="rowgroup">
      <div class="grid-row" role="row">
        {columns.getFlatHeaders().map((header) => {
          const { id, column } = header;
          const order = column.getIsSorted();
          const resize = (event: Event) => {
            fix(columns, (event.currentTarget as Element).closest(".grid-row") as Element);
            header.getResizeHandler()(event);
          };
          return (
            <div
              key={id} role="columnheader" data-column={id} class={numbers.has(id) ? "number" : undefined}
              aria-sort={order === false ? "none" : order === "desc" ? "descending" : "ascending"}
            >
              <button type="button" dir="auto" onClick={() => sort(id)}>
                {id}{order !== false && <Icon name={order === "desc" ? "down" : "send"} />}
              </button>
              <Menu label={t("columnActions", { name: id })} icon="more" items={(): MenuItem[] => [
                { label: t("statistics"), icon: "table", act: () => showStatistics(id) },
                ...(mayChange.value ? uses(subject, id) : []),
                ...looks(columns, id),
              ]} />
              <i class="grid-edge" aria-hidden="true" onMouseDown={resize} onDblClick={() => columns.resetColumnSizing()} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** What else can be done with the values of a column. */
function uses({ kind, id }: Subject, name: string): MenuItem[] {
  const isLayer = kind === "layers";
  const table = tableOf(isLayer ? layers.value.find((layer) => layer.id === id)?.table ?? "" : id);
  const column = table?.columns.find((it) => it.name === name);
  const chart = column === undefined ? null : kindFor(column);
  const of = isLayer ? { layer_id: id } : { table: id };
  return [
    ...(isLayer ? [{ label: t("editFilter"), icon: "filter" as const, act: () => (filtering.value = { layerId: id, column: name }) }] : []),
    ...(chart === null ? [] : [{ label: t("chartOfColumn", { name }), icon: "chart" as const, act: () => void addChart({ kind: chart, ...of, x: name }) }]),
  ];
}

/** How the column is shown, on this page only. */
function looks(columns: Columns, name: string): MenuItem[] {
  const hidden = columns.getAllLeafColumns().length - columns.getVisibleLeafColumns().length;
  const step = (by: number) => () => {
    const head = document.querySelector(".grid-head");
    if (head !== null) fix(columns, head);
    widen(columns, name, by);
  };
  const hide = () => {
    columns.getColumn(name)?.toggleVisibility(false);
    document.querySelector<HTMLElement>(".grid")?.focus();
  };
  return [
    { label: t("columnWider"), icon: "plus", act: step(STEP) },
    { label: t("columnNarrower"), icon: "minus", act: step(-STEP) },
    { label: t("columnHide"), icon: "eyeOff", disabled: columns.getVisibleLeafColumns().length === 1, act: hide },
    ...(hidden > 0 ? [{ label: t("columnsShow", { n: hidden }), icon: "eye" as const, act: () => columns.resetColumnVisibility() }] : []),
  ];
}
