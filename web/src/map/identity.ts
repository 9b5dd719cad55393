/** Which row of a table a feature on the map is. */
import type { MapGeoJSONFeature } from "maplibre-gl";

/** The attribute that identifies a feature whose key cannot be its id in a tile; as in `server/gis/styles/attributes.py`. */
export const ID = "@id";

/** What `idOf` returns, as an expression of MapLibre. */
export const IDENTITY = ["coalesce", ["get", ID], ["id"]];

type Identified = Partial<Pick<MapGeoJSONFeature, "id">> & Pick<MapGeoJSONFeature, "properties">;

export const idOf = ({ id, properties }: Identified): string | number | undefined => (properties[ID] as string | undefined) ?? id;
