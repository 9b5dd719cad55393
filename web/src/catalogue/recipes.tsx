/** The recipes of this map: run one with other values, rename it, or take it away. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { readableName } from "../chat/turns/recipe-form";
import { t } from "../i18n/i18n";
import { tables } from "../data/tables";
import type { RecipeCard, RecipeParameter } from "../protocol/types";
import { removeRecipe, renameRecipe, runRecipe } from "../session/commands";
import { recipes } from "../store/store";
import { onEscape, ReturnFocus } from "../ui/focus";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";
import { side } from "../ui/page/side";

export function Recipes() {
  if (recipes.value.length === 0) return null;
  return (
    <section class="recipes" aria-label={t("recipes")}>
      <h3>{t("recipes")}</h3>
      <ul>{recipes.value.map((recipe) => <Entry key={recipe.name} recipe={recipe} />)}</ul>
    </section>
  );
}

function Entry({ recipe }: { recipe: RecipeCard }) {
  const mode = useSignal<"closed" | "run" | "rename">("closed");
  const close = () => (mode.value = "closed");
  return (
    <li class="table-entry">
      <div class="table-line">
        <button
          type="button" class="table-name" aria-expanded={mode.value === "run"}
          onClick={() => (mode.value = mode.value === "run" ? "closed" : "run")}
        >
          <Icon name="chevron" /><span dir="auto">{recipe.name}</span>
        </button>
        <Menu
          label={t("layerActions", { name: recipe.name })} icon="more"
          items={() => [
            { label: t("rename"), icon: "edit", act: () => (mode.value = "rename") },
            { label: t("remove"), icon: "trash", danger: true, act: () => void removeRecipe(recipe.name) },
          ]}
        />
      </div>
      {mode.value === "run" && <RunForm recipe={recipe} done={close} />}
      {mode.value === "rename" && <RenameForm recipe={recipe} done={close} />}
    </li>
  );
}

function RunForm({ recipe, done }: { recipe: RecipeCard; done: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>("input, select, button")?.focus(), []);
  const run = async (event: Event) => {
    event.preventDefault();
    const given = new FormData(form.current ?? undefined);
    const changed = recipe.parameters.flatMap(({ name, kind, default: old }) => {
      const value = kind === "yes_no" ? given.has(name) : String(given.get(name) ?? "").trim();
      return value === "" || String(value) === String(old) ? [] : [[name, value] as const];
    });
    if (!(await runRecipe(recipe.name, Object.fromEntries(changed)))) return;
    done();
    side.value = "chat";
  };
  return (
    <form ref={form} class="recipe-form" onSubmit={(event) => void run(event)} onKeyDown={onEscape(done)}>
      <ReturnFocus />
      <ol class="step-plan quiet">{recipe.steps.map((step, index) => <li key={index} dir="auto">{step}</li>)}</ol>
      {recipe.parameters.map((parameter) => (
        <label key={parameter.name} class="field" title={parameter.description}>
          <span dir="auto">{readableName(parameter.name)}</span><Control parameter={parameter} />
        </label>
      ))}
      <div class="recipe-actions">
        <button type="submit" class="button"><Icon name="play" />{t("runRecipe")}</button>
        <button type="button" class="button plain" onClick={done}>{t("cancel")}</button>
      </div>
    </form>
  );
}

function Control({ parameter: { name, kind, default: old, options } }: { parameter: RecipeParameter }) {
  if (kind === "yes_no") return <input type="checkbox" name={name} defaultChecked={old === true} />;
  const choices = kind === "choice" ? options : kind === "table" ? tables().map((table) => table.id) : null;
  if (choices !== null) {
    const all = choices.includes(String(old)) ? choices : [String(old), ...choices];
    return <select name={name}>{all.map((it) => <option key={it} value={it} selected={it === old}>{it}</option>)}</select>;
  }
  return <input name={name} defaultValue={String(old)} maxLength={300} dir="auto" {...(kind === "number" && { inputMode: "decimal" as const })} />;
}

function RenameForm({ recipe, done }: { recipe: RecipeCard; done: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const rename = async (event: Event) => {
    event.preventDefault();
    const name = field.current?.value.trim() ?? "";
    if (name === recipe.name || (name !== "" && (await renameRecipe(recipe.name, name)))) done();
  };
  return (
    <form class="recipe-form" onSubmit={(event) => void rename(event)} onKeyDown={onEscape(done)}>
      <ReturnFocus />
      <label class="field">
        <span>{t("recipeName")}</span>
        <input ref={field} defaultValue={recipe.name} maxLength={80} dir="auto" required />
      </label>
      <div class="recipe-actions">
        <button type="submit" class="button">{t("saveIt")}</button>
        <button type="button" class="button plain" onClick={done}>{t("cancel")}</button>
      </div>
    </form>
  );
}
