/** What happened on this map, and a look back: any moment can be seen on the map, and brought back. */
import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { t, time } from "../i18n/i18n";
import { readHistory } from "../session/history";
import { past } from "../instance/state";
import { map } from "../store/store";
import { Icon, type IconName } from "../ui/icons";
import { side } from "../ui/page/side";
import { SidePanel } from "../ui/page/side-panel";
import { useVirtualizer } from "../ui/virtual";
import { type Deed, entries, type HistoryEntry } from "./entries";

const ICONS: Record<Deed["did"], IconName> = {
  asked: "chat", added: "plus", changed: "edit", removed: "trash", reordered: "layers", reset: "close", named: "edit",
  commented: "comment", resolved: "check", reopened: "retry",
};

/** Pixels of an entry on one line. */
const ROW = 32;

/** Milliseconds without an event before the list is read again. */
const PAUSE = 300;

export function HistoryPanel() {
  const list = useSignal<HistoryEntry[] | null>(null);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    let isLate = false;
    const read = async () => {
      const events = await readHistory();
      if (isLate) return;
      if (Array.isArray(events)) [list.value, fault.value] = [entries(events), null];
      else fault.value = events.message;
    };
    const timer = setTimeout(() => void read(), list.value === null ? 0 : PAUSE);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [map.value?.seq]);
  const close = () => {
    past.value = null;
    side.value = "chat";
  };
  return (
    <SidePanel title={t("history")} close={close}>
      {fault.value !== null && <p class="quiet side-note">{fault.value}</p>}
      {list.value?.length === 0 && <p class="quiet side-note">{t("historyEmpty")}</p>}
      <Entries all={list.value ?? []} />
    </SidePanel>
  );
}

function Entries({ all }: { all: readonly HistoryEntry[] }) {
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: all.length, getScrollElement: () => box.current, estimateSize: () => ROW, overscan: 10,
    getItemKey: useCallback((index: number) => all[index]?.seq ?? index, [all]),
  });
  const shown = virtualizer.getVirtualItems();
  const [before, after] = [shown[0]?.start ?? 0, virtualizer.getTotalSize() - (shown.at(-1)?.end ?? 0)];
  return (
    <div class="history-list" ref={box} tabIndex={0} role="group" aria-label={t("history")}>
      <ol style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        {shown.map(({ index, key }) => {
          const entry = all[index];
          return entry !== undefined && <Row key={key} entry={entry} index={index} count={all.length} measure={virtualizer.measureElement} />;
        })}
      </ol>
    </div>
  );
}

function Row({ entry, index, count, measure }: {
  entry: HistoryEntry;
  index: number;
  count: number;
  measure: (element: HTMLElement | null) => void;
}) {
  const { seq, at, deed, way, layers, charts } = entry;
  const shown = past.value?.seq === seq;
  const text = (
    <>
      <Icon name={way === "undone" ? "undo" : way === "redone" ? "redo" : ICONS[deed.did]} />
      <span class="history-text" dir="auto">{way === "done" ? described(deed) : `${t(way)}: ${described(deed)}`}</span>
      <time dateTime={at}>{time(at)}</time>
    </>
  );
  const place = { ref: measure, "data-index": index, "aria-posinset": index + 1, "aria-setsize": count };
  if (deed.did === "asked") return <li class="history-asked" {...place}>{text}</li>;
  return (
    <li {...place}>
      <button
        type="button" aria-pressed={shown} title={t("pastLook")}
        onClick={() => (past.value = shown ? null : { seq, at, layers, charts })}
      >
        {text}
      </button>
    </li>
  );
}

function described(deed: Deed): string {
  switch (deed.did) {
    case "asked": return deed.text;
    case "added": return t("didAdd", { name: deed.name });
    case "removed": return t("didRemove", { name: deed.name });
    case "named": return deed.name === "" ? t("didUnname") : t("didName", { name: deed.name });
    case "commented": return t("didComment", { text: deed.text });
    case "resolved": return t("didResolve", { text: deed.text });
    case "reopened": return t("didReopen", { text: deed.text });
    case "reordered": return t("didReorder");
    case "reset": return t("didReset");
    case "changed": {
      const words = {
        name: t("partName"), filter: t("partFilter"), style: t("partStyle"), visible: t("partShown"), hidden: t("partHidden"),
        opacity: t("partOpacity"), group: t("partGroup"), data: t("partData"),
      };
      return `${deed.name}: ${deed.what.map((it) => words[it]).join(", ")}`;
    }
  }
}
