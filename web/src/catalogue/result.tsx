/** What can be done with the result of an analysis beside drawing it: delete it for good, once that is confirmed. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../i18n/i18n";
import { dropResult } from "../session/commands";
import { layers } from "../store/store";
import { onEscape, ReturnFocus, useFocusOnOpen } from "../ui/focus";
import { IconButton } from "../ui/icons";

export function DropResult({ table }: { table: string }) {
  const asks = useSignal(false);
  return (
    <>
      <IconButton icon="trash" label={`${t("dropResult")}: ${table}`} onClick={() => (asks.value = !asks.value)} />
      {asks.value && <Confirm table={table} cancel={() => (asks.value = false)} />}
    </>
  );
}

function Confirm({ table, cancel }: { table: string; cancel: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusOnOpen(button);
  const shown = layers.value.find((layer) => layer.table === table);
  return (
    <div class="table-confirm" role="group" aria-label={t("dropResult")} onKeyDown={onEscape(cancel)}>
      <ReturnFocus />
      <span dir="auto">{shown === undefined ? t("dropResultSure") : t("dropResultShown", { name: shown.name })}</span>
      {shown === undefined && <button type="button" class="button" onClick={() => void dropResult(table)}>{t("dropResult")}</button>}
      <button ref={button} type="button" class="button plain" onClick={cancel}>{t("cancel")}</button>
    </div>
  );
}
