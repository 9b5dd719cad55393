/** Pictures that this page draws and saves. Errors are in the language of the page. */
import { t } from "../i18n/i18n";
import { notify } from "./toast";

/** Throws with words for people: a browser gives no pen to canvases that are too large for it. */
export function penOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const pen = canvas.getContext("2d");
  if (pen === null) throw new Error(t("pictureTooLarge"));
  return pen;
}

/** The direction of a line by its letters, which is not always the page's: names and values have their own. */
export const directionOf = (text: string): "rtl" | "ltr" => (/[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text) ? "rtl" : "ltr");

/** Waits for the picture to be saved. A failure is shown on the page. */
export async function notifyFailure(saving: Promise<void>): Promise<void> {
  try {
    await saving;
  } catch (error) {
    notify(t("pictureFailed", { reason: error instanceof Error ? error.message : String(error) }), "error");
  }
}

/** Rejects with words for people. */
export function encoded(canvas: HTMLCanvasElement, type: "image/png" | "image/jpeg", quality?: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error(t("pictureTooLarge"))) : resolve(blob)), type, quality);
  });
}
