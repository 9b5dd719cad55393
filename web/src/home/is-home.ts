/** Whether this page is the list of maps: at the root of the site, in a browser that has maps, unless a new one is wanted. */
import { embedded } from "../share/viewer";
import { myMaps } from "./mine";

export const isHome =
  location.pathname === "/" && !new URLSearchParams(location.search).has("new") && !embedded && myMaps().length > 0;
