import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { boxed, drawnArea, type Tool, tool } from "../../instance/selection";
import { compared } from "../../instance/state";
import type { MapView } from "../view";
import { choose, drawing, finished } from "./drawing";
import { escape, installInteraction, leaveMode } from "./interaction";
import { isArea, measured, session } from "./session";

type Listener = (event: Record<string, unknown>) => void;

/** As much of MapLibre as pointing needs: a flat map of 100 pixels a degree, with one airport at 1, 1. */
class FlatMap {
  private readonly listeners = new Map<string, Listener[]>();
  private readonly canvas = document.createElement("canvas");
  private readonly container = document.createElement("div");
  readonly sources = new Map<string, { setData: (data: unknown) => void }>();
  readonly off: Record<string, boolean> = {};
  readonly dragPan = this.handler("dragPan");
  readonly dragRotate = this.handler("dragRotate");
  readonly boxZoom = this.handler("boxZoom");
  readonly doubleClickZoom = this.handler("doubleClickZoom");
  readonly touchZoomRotate = this.handler("touchZoomRotate");
  version = "6.0.0";

  constructor() {
    this.container.append(this.canvas);
    document.body.append(this.container);
    this.canvas.tabIndex = 0;
    for (const name of ["click", "dblclick"] as const) {
      this.canvas.addEventListener(name, ({ clientX: x, clientY: y, preventDefault }) => this.fire(name, { point: { x, y }, preventDefault }));
    }
  }

  on(name: string, listener: Listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  once(name: string, listener: Listener) {
    if (name === "style.load") listener({});
  }

  fire(name: string, event: Record<string, unknown>) {
    for (const listener of this.listeners.get(name) ?? []) listener(event);
  }

  getCanvas = () => this.canvas;
  getContainer = () => this.container;
  getCanvasContainer = () => this.container;
  project = (at: { lng: number; lat: number } | [number, number]) => {
    const [lng, lat] = Array.isArray(at) ? at : [at.lng, at.lat];
    return { x: lng * 100, y: lat * 100 };
  };
  unproject = ({ x, y }: { x: number; y: number }) => {
    const position = { lng: x / 100, lat: y / 100 };
    return { ...position, wrap: () => position };
  };
  addSource = (id: string) => void this.sources.set(id, { setData: () => undefined });
  getSource = (id: string) => this.sources.get(id);
  removeSource = (id: string) => void this.sources.delete(id);
  addLayer = () => undefined;
  removeLayer = () => undefined;
  getLayersOrder = () => ["airports:0"];
  getLayer = () => ({ source: "airports" });
  queryRenderedFeatures = () => [{ id: 7, source: "airports", geometry: { type: "Point", coordinates: [1, 1] }, properties: {} }];

  private handler(name: string) {
    return { enable: () => (this.off[name] = false), disable: () => (this.off[name] = true), isEnabled: () => this.off[name] !== true };
  }
}

/** jsdom has none. */
class Pointer extends MouseEvent {
  readonly isPrimary = true;
}

vi.stubGlobal("PointerEvent", Pointer);

let map: FlatMap;
let stop: () => void;
const clicked = vi.fn();

const point = (name: string, x: number, y: number) =>
  map.getCanvas().dispatchEvent(new PointerEvent(name, { clientX: x, clientY: y, bubbles: true }));

function click(x: number, y: number): void {
  for (const name of ["pointermove", "pointerdown", "pointerup", "click"]) point(name, x, y);
}

function drag(...path: [number, number][]): void {
  const [[x, y]] = path as [[number, number]];
  point("pointerdown", x, y);
  for (const at of path.slice(1)) point("pointermove", ...at);
  for (const name of ["pointerup", "click"]) point(name, ...(path.at(-1) as [number, number]));
}

const key = (name: string) => {
  for (const kind of ["keydown", "keyup"]) map.getCanvas().dispatchEvent(new KeyboardEvent(kind, { key: name, bubbles: true }));
};

async function choosing(mode: Tool): Promise<void> {
  tool.value = mode;
  await vi.waitFor(() => expect(session.value).not.toBeNull());
}

beforeEach(() => {
  map = new FlatMap();
  const view = { map, featuresAt: () => [], middle: () => ({ x: 300, y: 200 }) } as unknown as MapView;
  stop = installInteraction(view, { layerIds: () => ["airports"], clicked, hovered: () => undefined });
});

afterEach(() => {
  leaveMode();
  stop();
  [boxed.value, drawnArea.value, compared.value] = [null, null, null];
  clicked.mockReset();
});

it("picks what is clicked while looking, and where a comment is placed", () => {
  click(100, 200);
  tool.value = "comment";
  click(300, 200);
  expect(clicked.mock.calls.map(([, at]) => at as unknown)).toEqual([[1, 2], [3, 2]]);
});

it("selects by a box from where the pointer was put down, and gives the map back", async () => {
  await choosing("select");
  expect(map.off).toMatchObject({ dragPan: true, touchZoomRotate: true, boxZoom: true, doubleClickZoom: true });
  drag([99, 99], [160, 160], [180, 180]);
  expect(boxed.value).toEqual({ layerId: "airports", ids: [7] });
  expect(tool.value).toBe("look");
  expect(map.off).toMatchObject({ dragPan: false, touchZoomRotate: false, boxZoom: false, doubleClickZoom: false });
  expect(clicked).not.toHaveBeenCalled();
  expect([...map.sources]).toEqual([]);
});

it("takes two clicks for a box, too", async () => {
  await choosing("select");
  click(50, 50);
  click(150, 150);
  expect(boxed.value?.ids).toEqual([7]);
  expect(clicked).not.toHaveBeenCalled();
});

it("leaves out what a lasso goes around, even where it ends at its start", async () => {
  await choosing("lasso");
  drag([0, 0], [200, 0], [200, 200], [150, 200], [150, 50], [50, 50], [50, 200], [0, 200], [1, 1]);
  expect(boxed.value).toBeNull();
  await choosing("lasso");
  drag([0, 0], [200, 0], [200, 200], [0, 200], [1, 1]);
  expect(boxed.value?.ids).toEqual([7]);
});

it("makes an area of three corners or more", async () => {
  await choosing("area");
  click(0, 0);
  click(200, 0);
  session.value?.finish();
  expect([isArea.value, tool.value]).toEqual([false, "area"]);
  click(200, 200);
  expect(isArea.value).toBe(true);
  point("pointermove", 0, 100);
  session.value?.finish();
  expect(drawnArea.value).toHaveLength(3);
  expect(tool.value).toBe("look");
});

it("measures until a double click, and then from where the next click is", async () => {
  await choosing("measure");
  click(0, 0);
  key("Enter");
  expect(measured.value, "a point has no length").toEqual({ length: 0, area: null });
  click(100, 0);
  click(100, 0);
  point("pointermove", 100, 900);
  expect(measured.value?.length).toBeCloseTo(111_195, -2);
  click(0, 0);
  point("pointermove", 200, 0);
  expect(measured.value?.length).toBeCloseTo(222_390, -2);
});

it("leaves the map alone when a double click ends a mode", async () => {
  await choosing("area");
  for (const [x, y] of [[0, 0], [200, 0], [200, 200], [200, 200]] as const) click(x, y);
  expect(tool.value).toBe("look");
  const preventDefault = vi.fn();
  map.fire("dblclick", { point: { x: 200, y: 200 }, preventDefault });
  expect(preventDefault).toHaveBeenCalled();
});

it("leaves by Escape, but never gives up finished shapes by it", async () => {
  await choosing("measure");
  key("Escape");
  expect(tool.value).toBe("look");
  await choosing("draw");
  choose("point");
  click(50, 50);
  choose("linestring");
  click(100, 100);
  key("Escape");
  expect([tool.value, finished.value]).toEqual(["draw", 1]);
  escape({ key: "Escape" });
  expect([tool.value, drawing().features.length]).toEqual(["draw", 1]);
  leaveMode();
  expect(finished.value).toBe(0);
});

it("has one mode at a time, and none over a comparison", async () => {
  await choosing("measure");
  compared.value = { left: "a", right: "b" };
  expect([tool.value, session.value]).toEqual(["look", null]);
  await choosing("area");
  expect(compared.value).toBeNull();
  tool.value = "comment";
  expect(session.value).toBeNull();
});

it("gives up a drag that the browser takes away", async () => {
  await choosing("select");
  point("pointerdown", 0, 0);
  point("pointermove", 50, 50);
  point("pointercancel", 50, 50);
  expect([tool.value, boxed.value]).toEqual(["look", null]);
});

it("clicks in the middle of the map by the space bar", async () => {
  key(" ");
  expect(clicked.mock.calls[0]?.[1]).toEqual([3, 2]);
  await choosing("draw");
  choose("point");
  key(" ");
  expect(drawing().features[0]?.geometry).toEqual({ type: "Point", coordinates: [3, 2] });
});

it("saves shapes on the copy of the world that has the numbers people know", async () => {
  await choosing("draw");
  choose("point");
  click(36_100, 0);
  expect(drawing().features[0]?.geometry).toEqual({ type: "Point", coordinates: [1, 0] });
});
