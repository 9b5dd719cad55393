import { beforeEach, describe, expect, it } from "vitest";
import type { Layer } from "../protocol/types";
import { emptyState } from "../store/state";
import { map } from "../store/store";
import { boxed, bounds, drawnArea, dropFocus, focus, inspect, marked, withView } from "./selection";

const VIEW = { bounds: [5, 45, 15, 55] as [number, number, number, number], zoom: 5 };
const onMap = (...ids: string[]) => {
  map.value = { ...emptyState("map"), layers: ids.map((id) => ({ id }) as Layer) };
};

beforeEach(() => {
  onMap("cities");
  [boxed.value, inspect.value, drawnArea.value, bounds.value, withView.value] = [null, null, null, VIEW, true];
});

describe("the focus of a message", () => {
  it("keeps a drawn area beside a selection, and gives up the strongest first", () => {
    boxed.value = { layerId: "cities", ids: [1, 5] };
    drawnArea.value = [[0, 0], [1, 0], [1, 1]];
    const area = { type: "Polygon", coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]]] };
    expect(focus.value).toEqual({ layer_id: "cities", feature_ids: [1, 5], area, ...VIEW });
    dropFocus();
    expect(focus.value).toEqual({ area, ...VIEW });
    dropFocus();
    expect(focus.value).toEqual(VIEW);
    dropFocus();
    expect(focus.value).toBeNull();
  });

  it("lets a selection go with its layer", () => {
    boxed.value = { layerId: "cities", ids: [1] };
    onMap("roads");
    expect(marked.value).toBeNull();
    expect(focus.value).toEqual(VIEW);
    onMap("cities");
    expect(focus.value, "nor does it come back with a layer of that name").toEqual(VIEW);
    inspect.value = { found: [{ layerId: "cities", id: 7, properties: {} }], index: 0 };
    expect(focus.value?.feature_ids).toEqual([7]);
    onMap("roads");
    expect(focus.value).toEqual(VIEW);
  });
});
