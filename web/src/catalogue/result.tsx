/** What can be done with the result of an analysis beside drawing it: delete it for good, once that is confirmed. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n/i18n";
import { dropResult } from "../session";
import { layers } from "../store/store";
import { IconButton } from "../ui/icons";

export function DropResult({ table }: { table: string }) {
  const asks = useSignal(false);
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asks.value) cancel.current?.focus();
  }, [asks.value]);
  if (!asks.value) return <IconButton icon="trash" label={`${t("dropResult")}: ${table}`} onClick={() => (asks.value = true)} />;
  const shown = layers.value.find((layer) => layer.table === table);
  return (
    <div class="table-confirm" role="group" aria-label={t("dropResult")}>
      <span dir="auto">{shown === undefined ? t("dropResultSure") : t("dropResultShown", { name: shown.name })}</span>
      {shown === undefined && <button type="button" class="button" onClick={() => void dropResult(table)}>{t("dropResult")}</button>}
      <button ref={cancel} type="button" class="button plain" onClick={() => (asks.value = false)}>{t("cancel")}</button>
    </div>
  );
}
