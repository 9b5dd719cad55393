/** Keep the plan of an analysis as a recipe: its name, and which of its values may be changed for a run. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/i18n";
import type { RecipeCard } from "../../protocol/types";
import { saveRecipe, suggestedRecipe } from "../../session/commands";
import { onEscape, ReturnFocus, useFocusOnOpen } from "../../ui/focus";
import { notify } from "../../ui/toast";

export function RecipeForm({ analysisId, done }: { analysisId: string; done: () => void }) {
  const card = useSignal<RecipeCard | null>(null);
  const name = useSignal("");
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    void suggestedRecipe(analysisId).then((found) => {
      card.value = found;
      name.value = found?.name ?? "";
      // Lengths and numbers are what people change; the rest stays fixed unless they say so.
      chosen.value = new Set(found?.parameters.filter(({ kind }) => kind === "number" || kind === "length").map((it) => it.name));
      field.current?.select();
    });
  }, [analysisId]);
  useFocusOnOpen(field);
  const toggle = (parameter: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(parameter)) next.add(parameter);
    chosen.value = next;
  };
  const save = async (event: Event) => {
    event.preventDefault();
    if (name.value.trim() === "" || !(await saveRecipe(analysisId, name.value.trim(), [...chosen.value]))) return;
    notify(t("recipeSaved", { name: name.value.trim() }));
    done();
  };
  return (
    <form class="recipe-form" onSubmit={(event) => void save(event)} onKeyDown={onEscape(done)}>
      <ReturnFocus />
      <label class="field">
        <span>{t("recipeName")}</span>
        <input ref={field} value={name.value} maxLength={80} dir="auto" required onInput={(event) => (name.value = event.currentTarget.value)} />
      </label>
      {card.value !== null && card.value.parameters.length > 0 && (
        <fieldset>
          <legend>{t("recipeParameters")}</legend>
          {card.value.parameters.map((parameter) => (
            <label key={parameter.name} class="recipe-choice" title={parameter.step}>
              <input type="checkbox" checked={chosen.value.has(parameter.name)} onChange={() => toggle(parameter.name)} />
              <span dir="auto">{readableName(parameter.name)}</span>
              <span class="quiet" dir="auto">{String(parameter.default)}</span>
            </label>
          ))}
        </fieldset>
      )}
      <div class="recipe-actions">
        <button type="submit" class="button" disabled={card.value === null}>{t("saveIt")}</button>
        <button type="button" class="button plain" onClick={done}>{t("cancel")}</button>
      </div>
    </form>
  );
}

export const readableName = (name: string): string => name.replaceAll("_", " ");
