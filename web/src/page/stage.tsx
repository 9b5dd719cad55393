/** Where the map is drawn: makes the map once, hands it to the session, and says what was clicked. */
import { effect, signal } from "@preact/signals";
import type { MapGeoJSONFeature } from "maplibre-gl";
import { useEffect, useRef } from "preact/hooks";
import type { Position } from "../geometry/types";
import { t } from "../i18n/i18n";
import { reports, showOn, storedCamera, uncover, zoomTo } from "../session/camera";
import { gestures } from "../session/commands";
import { base, compared, elsewhere } from "../instance/state";
import { known } from "../store/presence";
import { description, layers, map as state } from "../store/store";
import { installThumbnails } from "../home/thumbnails";
import { installPeople } from "../people/pointers";
import { palette } from "../theme/theme";
import { IconButton } from "../ui/icons";
import { lazy } from "../ui/page/lazy";
import { covered } from "../ui/page/sheet";
import { installComments } from "../comments/pins";
import { beginThread } from "../instance/comments";
import { installPin } from "../search/pin";
import { HoverTip, showTip } from "../map/inspector/hover-tip";
import { Inspector } from "../map/inspector/inspector";
import { idOf } from "../map/identity";
import { NoMap } from "../map/none";
import { isCell, isCluster, listInside } from "../map/interaction/inside";
import { installInteraction } from "../map/interaction/interaction";
import { boxed, inspect, pointed, tool } from "../instance/selection";
import { installLoading } from "../map/tiles/loading";
import { installThinned } from "../map/tiles/thinned";
import { Toolbar } from "./toolbar";
import { session } from "../map/interaction/session";
import { MapView } from "../map/view";
import { type Stop, together } from "../ui/stops";

const Swipe = lazy(() => import("../compare/swipe").then((module) => module.Swipe));

const DrawPanel = lazy(() => import("../draw/panel").then((module) => module.DrawPanel));

/** The browser has no WebGL. */
const undrawable = signal(false);

export function Stage() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    try {
      return box.current === null ? undefined : open(box.current);
    } catch {
      undrawable.value = true;
      return undefined;
    }
  }, []);
  return (
    <>
      <div ref={box} class="map" />
      {undrawable.value && <NoMap reason={t("noWebgl")} hint={t("noWebglHint")} isMissing={false} />}
      {compared.value !== null && <Swipe />}
      <Toolbar />
      {tool.value === "draw" && session.value !== null && <DrawPanel />}
      <Inspector opened={uncover} />
      <HoverTip />
      {elsewhere.value !== null && (
        <div class="elsewhere card" role="status">
          <span>{t("viewElsewhere")}</span>
          <button type="button" class="link" onClick={() => zoomTo(elsewhere.value)}>{t("goThere")}</button>
          <IconButton icon="close" label={t("close")} onClick={() => (elsewhere.value = null)} />
        </div>
      )}
    </>
  );
}

/** Draws the map; returns a function that ends everything. */
function open(container: HTMLElement): Stop {
  const view = new MapView(container, { palette: palette.peek(), base: base.peek(), camera: storedCamera() }, reports);
  const stop = together(
    () => view.map.remove(),
    effect(() => view.cover(covered.value)),
    effect(() => view.paint(palette.value)),
    effect(() => view.rebase(base.value)),
    effect(() => {
      const chosen = description.value?.projection;
      if (chosen != null) view.project(chosen);
    }),
    installThumbnails(view.map),
    installPin(view.map),
    installComments(view.map),
    installThinned(view.map, () => view.bounds()),
    installLoading(view.map, view.receipts),
    installInteraction(view, {
      layerIds: () => layers.peek().map((layer) => layer.id),
      clicked: (features, at) => pick(view, features, at),
      hovered: ([first], at) => {
        showTip(first, tool.value === "look" ? at : null);
        const was = pointed.peek();
        const id = first && idOf(first);
        if (first === undefined || id === undefined) pointed.value = null;
        else if (was?.layerId !== first.source || was.ids[0] !== id) pointed.value = { layerId: first.source, ids: [id] };
      },
    }),
    installPeople(view, gestures),
    showOn(view),
  );
  // For tests and for pages that embed this one: the MapLibre map and the state, to read.
  Object.assign(window, {
    geoagent: {
      map: view.map,
      get beside() { return view.beside?.view.map ?? null; },
      get state() { return state.peek() && { ...state.peek(), known: known.peek() }; },
    },
  });
  return stop;
}

/** What was clicked is commented on, or else inspected; a cell shows what it counts. */
function pick(view: MapView, features: MapGeoJSONFeature[], at: Position): void {
  const found = features.map((it) => ({ layerId: it.source, id: idOf(it) ?? null, properties: it.properties }));
  if (tool.value === "comment") return beginThread(at, found[0]);
  boxed.value = null;
  const [first] = features;
  if (first !== undefined && isCluster(first)) return view.approach(first);
  inspect.value = found.length === 0 ? null : { found, index: 0, at };
  if (first !== undefined && isCell(first)) void listInside(first);
}
