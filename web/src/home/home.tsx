/** The first page of a browser that has maps: the maps, the last one seen first, and the way to a new one. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t, time } from "../i18n/i18n";
import type { MapSummary } from "../protocol/types";
import { Icon, IconButton } from "../ui/icons";
import { Toasts } from "../ui/toast";
import { forgetMap, type Mine, myMaps, summaries } from "./mine";

export function Home() {
  const maps = useSignal(myMaps());
  /** By key; null until the server answered. */
  const known = useSignal<ReadonlyMap<string, MapSummary> | null>(null);
  useEffect(() => {
    void summaries(maps.value).then((found) => {
      if (found !== null) known.value = new Map(found.map((summary) => [summary.map_id, summary]));
    });
  }, []);
  const forget = (id: string) => {
    forgetMap(id);
    maps.value = myMaps();
  };
  return (
    <main class="home">
      <header class="home-head">
        <img class="logo" src="/favicon.svg" alt="" width="28" height="28" />
        <h1>{t("myMaps")}</h1>
        <a class="button" href="/?new"><Icon name="plus" />{t("newMap")}</a>
      </header>
      <p class="quiet">{t("myMapsHint")}</p>
      <ul class="home-maps">
        {maps.value.map((mine) => (
          <Card
            key={mine.id} mine={mine} summary={known.value?.get(mine.id)} isGone={known.value !== null && !known.value.has(mine.id)}
            forget={() => forget(mine.id)}
          />
        ))}
      </ul>
      <Toasts />
    </main>
  );
}

function Card({ mine, summary, isGone, forget }: {
  mine: Mine;
  summary: MapSummary | undefined;
  /** The server has no such map. */
  isGone: boolean;
  forget: () => void;
}) {
  const name = summary === undefined || summary.name === "" ? t("unnamedMap") : summary.name;
  const content = (
    <>
      {mine.picture === null ? <span class="home-picture empty"><Icon name="map" /></span> : <img class="home-picture" src={mine.picture} alt="" />}
      <span class="home-name" dir="auto">{name}</span>
      <span class="quiet">{isGone ? t("mapGone") : details(mine, summary)}</span>
    </>
  );
  return (
    <li class="card home-card">
      {isGone ? <span class="home-link">{content}</span> : <a class="home-link" href={`/m/${mine.id}`}>{content}</a>}
      <IconButton icon="close" class="home-forget" label={t("forgetMap", { name })} onClick={forget} />
    </li>
  );
}

function details(mine: Mine, summary: MapSummary | undefined): string {
  if (summary === undefined) return time(mine.at);
  const facts = [time(summary.changed_at), t("layerCount", { n: summary.layers }), ...(summary.may_change ? [] : [t("viewOnly")])];
  return facts.join(" · ");
}
