/** The page: the map, what floats over it, and the conversation beside it (over it on a phone). */
import { DropHint, dropTarget } from "./catalogue/drop";
import { Conversation } from "./chat/panel";
import { Banner } from "./page/banner";
import { PastBanner } from "./history/banner";
import { looked } from "./instance/figure";
import { t } from "./i18n/i18n";
import { LayersPanel } from "./layers/panel";
import { NoMap } from "./map/none";
import { SearchBox } from "./search/box";
import { exporting, paletteOpen, printing, sharing } from "./ui/page/dialogs";
import { ready } from "./instance/state";
import { FollowBanner } from "./people/list";
import { byViewLink, embedded, OpenWhole } from "./share/viewer";
import { isGone, mayChange, status } from "./store/store";
import { tableOpen } from "./instance/table";
import { timeLayer } from "./instance/time";
import { Header } from "./page/header";
import { lazy } from "./ui/page/lazy";
import { Sheet } from "./ui/page/sheet";
import { side } from "./ui/page/side";
import { Toasts } from "./ui/toast";

const Stage = lazy(() => import("./page/stage").then((module) => module.Stage));
const Catalogue = lazy(() => import("./catalogue/panel").then((module) => module.Catalogue));
const UploadPanel = lazy(() => import("./catalogue/upload-panel").then((module) => module.UploadPanel));
const ChartsPanel = lazy(() => import("./charts/panel").then((module) => module.ChartsPanel));
const HistoryPanel = lazy(() => import("./history/panel").then((module) => module.HistoryPanel));
const ViewsPanel = lazy(() => import("./document/views").then((module) => module.ViewsPanel));
const CommentsPanel = lazy(() => import("./comments/panel").then((module) => module.CommentsPanel));
const LayerInspector = lazy(() => import("./layers/style/inspector").then((module) => module.LayerInspector));
const Palette = lazy(() => import("./palette/palette").then((module) => module.Palette));
const FigureSheet = lazy(() => import("./figures/sheet").then((module) => module.FigureSheet));
const ExportDialog = lazy(() => import("./share/export-dialog").then((module) => module.ExportDialog));
const PrintDialog = lazy(() => import("./print/dialog").then((module) => module.PrintDialog));
const ShareDialog = lazy(() => import("./share/dialog").then((module) => module.ShareDialog));
const TablePanel = lazy(() => import("./table/panel").then((module) => module.TablePanel));
const TimePanel = lazy(() => import("./time/panel").then((module) => module.TimePanel));

function Beside() {
  switch (side.value) {
    case "history": return <HistoryPanel />;
    case "catalogue": return <Catalogue />;
    case "charts": return <ChartsPanel />;
    case "views": return <ViewsPanel />;
    case "comments": return <CommentsPanel />;
    case "upload": return <UploadPanel />;
    case "layer": return <LayerInspector />;
    default: return <Conversation />;
  }
}

export function App() {
  return (
    <>
      {!embedded && mayChange.value && <nav class="skip-place" aria-label={t("skipToChat")}><a class="skip card" href="#message">{t("skipToChat")}</a></nav>}
      <main class="stage" {...(mayChange.value && !embedded && dropTarget)}>
        <h1 class="hidden">{t("appName")}</h1>
        {ready.value && <Stage />}
        {!embedded && <SearchBox />}
        {!isGone.value && <LayersPanel />}
        <Banner />
        <PastBanner />
        <FollowBanner />
        <OpenWhole />
        {tableOpen.value !== null && <TablePanel />}
        {timeLayer.value !== null && <TimePanel />}
        {status.value === "unknown_map" && (byViewLink
          ? <NoMap reason={t("viewLinkGone")} hint={t("viewLinkGoneHint")} isMissing={!embedded} />
          : <NoMap reason={t("unknownMap")} hint={t("unknownMapHint")} isMissing={!embedded} />)}
        {status.value === "refused" && <NoMap reason={t("refused")} hint="" isMissing={!embedded} />}
        <DropHint />
        <Toasts />
      </main>
      {!embedded && (
        <Sheet>
          <Header />
          <Beside />
          {looked.value !== null && <FigureSheet />}
        </Sheet>
      )}
      {sharing.value && <ShareDialog />}
      {printing.value && <PrintDialog />}
      {exporting.value !== null && <ExportDialog />}
      {paletteOpen.value && !embedded && <Palette />}
    </>
  );
}
