/** The page: the map, what floats over it, and the conversation beside it (over it on a phone). */
import { DropHint, dropTarget } from "./catalogue/drop";
import { Catalogue } from "./catalogue/panel";
import { ChartsPanel } from "./charts/panel";
import { Conversation } from "./chat/panel";
import { Banner } from "./connection/banner";
import { FigureSheet } from "./figures/sheet";
import { HistoryPanel, PastBanner } from "./history/panel";
import { t } from "./i18n/i18n";
import { LayersPanel } from "./layers/panel";
import { NoMap, Stage } from "./map/stage";
import { SearchBox } from "./search/box";
import { ready } from "./session";
import { FollowBanner } from "./people/list";
import { ShareDialog } from "./share/dialog";
import { embedded, OpenWhole } from "./share/viewer";
import { mayChange, status } from "./store/store";
import { TablePanel } from "./table/panel";
import { TimePanel } from "./time/panel";
import { Header } from "./ui/header";
import { Sheet } from "./ui/sheet";
import { side } from "./ui/side";
import { Toasts } from "./ui/toast";

function Beside() {
  switch (side.value) {
    case "history": return <HistoryPanel />;
    case "catalogue": return <Catalogue />;
    case "charts": return <ChartsPanel />;
    default: return <Conversation />;
  }
}

export function App() {
  return (
    <>
      <main class="stage" {...(mayChange.value && !embedded && dropTarget)}>
        <h1 class="hidden">{t("appName")}</h1>
        {ready.value && <Stage />}
        {!embedded && <SearchBox />}
        <LayersPanel />
        <Banner />
        <PastBanner />
        <FollowBanner />
        <OpenWhole />
        <TablePanel />
        <TimePanel />
        {status.value === "unknown_map" && <NoMap reason={t("unknownMap")} hint={t("unknownMapHint")} />}
        {status.value === "refused" && <NoMap reason={t("refused")} hint="" />}
        <DropHint />
        <Toasts />
      </main>
      {!embedded && (
        <Sheet>
          <Header />
          <Beside />
          <FigureSheet />
        </Sheet>
      )}
      <ShareDialog />
    </>
  );
}
