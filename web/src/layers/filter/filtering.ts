/** A wish from elsewhere to filter a layer by one of its columns: the inspector of the layer opens with that condition. */
import { signal } from "@preact/signals";

export const filtering = signal<{ layerId: string; column: string } | null>(null);
