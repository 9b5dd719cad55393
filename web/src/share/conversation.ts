/** The conversation as Markdown, to keep or to send. Pure. */
import { titleOf } from "../charts/shape";
import type { Entry, Turn } from "../store/state";

export function conversationAsMarkdown(turns: readonly Turn[], url: string): string {
  const parts = turns.map((turn) => [quoted(turn.text), ...turn.entries.map(line)].filter(Boolean).join("\n\n"));
  return `# GeoAgent\n\n<${url}>\n\n${parts.join("\n\n---\n\n")}\n`;
}

function quoted(text: string): string {
  return text.split("\n").map((it) => `> ${it}`).join("\n");
}

function line(entry: Entry): string {
  if (entry.kind === "answer") return entry.text;
  if (entry.kind === "question") return `- \`${entry.name}\` (${entry.approved ? "allowed" : "not allowed"})`;
  if (entry.kind === "chart") return `- chart: ${titleOf(entry.chart)}${entry.chart.note && ` (${entry.chart.note})`}`;
  const done = entry.status === "ok" ? "done" : entry.status;
  if (entry.kind === "analysis") return `- analysis (${done}): ${entry.summary || entry.goal}`;
  return `- \`${entry.name}\` (${done}): ${entry.summary}`;
}
