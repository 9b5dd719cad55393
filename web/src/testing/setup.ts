/** What browsers have and jsdom lacks: a wide page with light colours. */
globalThis.matchMedia = (media: string): MediaQueryList => Object.assign(new EventTarget(), {
  media, matches: false, onchange: null, addListener: () => undefined, removeListener: () => undefined,
}) as MediaQueryList;
