/** Parts of the page that are loaded when they are first shown, so that the first visit does not wait for them. */
import { signal } from "@preact/signals";
import { type ComponentType, type FunctionComponent, h } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/i18n";
import { notify } from "../toast";

/** The component, and nothing until it is there; one that could not be loaded is tried again when it is next shown. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): FunctionComponent<P> {
  const loaded = signal<ComponentType<P> | null>(null);
  let loading: Promise<void> | null = null;
  const start = async () => {
    try {
      const Component = await load();
      loaded.value = Component;
    } catch {
      loading = null;
      notify(t("notLoaded"), "error");
    }
  };
  return function Lazy(props: P) {
    useEffect(() => void (loading ??= start()), []);
    return loaded.value === null ? null : h(loaded.value, props);
  };
}
