/** The conversation as Markdown, to keep or to send. Pure. */
import { noteOf } from "../charts/words";
import { titleOf } from "../charts/shape";
import { inOwnWords, t } from "../i18n/i18n";
import type { Entry, Turn } from "../store/state";

export function conversationAsMarkdown(turns: readonly Turn[], url: string): string {
  const parts = turns.map((turn) => [quoted(turn.text), ...turn.entries.map(line)].filter(Boolean).join("\n\n"));
  return `# ${t("appName")} · ${t("chat")}\n\n<${url}>\n\n${parts.join("\n\n---\n\n")}\n`;
}

function quoted(text: string): string {
  return text.split("\n").map((it) => `> ${it}`).join("\n");
}

function line(entry: Entry): string {
  if (entry.kind === "answer") return inOwnWords(entry.text, entry.wording);
  if (entry.kind === "question") return `- \`${entry.name}\` (${t(entry.approved ? "allowed" : "notAllowed")})`;
  if (entry.kind === "chart") return `- ${t("chart")}: ${[titleOf(entry.chart), noteOf(entry.chart)].filter(Boolean).join(" · ")}`;
  const words = { ok: t("toolOk"), running: t("toolRunning"), failed: t("toolFailed"), stopped: t("toolStopped"), empty: t("analysisEmpty") };
  const summary = inOwnWords(entry.summary, entry.wording);
  if (entry.kind === "analysis") return `- ${t("analysis")} (${words[entry.status]}): ${summary || entry.goal}`;
  return `- \`${entry.name}\` (${words[entry.status]}): ${summary}`;
}
