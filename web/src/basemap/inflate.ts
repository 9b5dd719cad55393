/**
 * In place of `fflate`, which PMTiles only calls where there is no `DecompressionStream`: every browser that this client
 * is built for has one, and so the page need not carry a second decompressor.
 */
export function decompressSync(): never {
  throw new Error("This browser cannot decompress the base map: it has no DecompressionStream.");
}
