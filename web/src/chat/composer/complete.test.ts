import { setLanguage } from "../../i18n/languages";
import { describe, expect, it } from "vitest";
import type { Column, Layer, Table } from "../../protocol/types";
import { layer } from "../../testing/samples";
import { completions, wordAt } from "./complete";
import { asRequest, nextSteps, spoken } from "../suggestions/suggest";

const known = { layers: ["Airports"], tables: ["data.airports", "data.cities"], columns: ["elevation_m", "city"], sql: false };

describe("completion", () => {
  it("takes the word that begins with @ at any position", () => {
    expect(wordAt("show @air now", 9)).toEqual({ start: 5, word: "@air" });
    expect(wordAt("mail a@b", 8)).toBeNull();
    expect(wordAt("show all", 8)).toBeNull();
  });

  it("takes a slash only at the beginning", () => {
    expect(wordAt("/un", 3)).toEqual({ start: 0, word: "/un" });
    expect(wordAt("km /h", 5)).toBeNull();
  });

  it("offers layers, tables and columns whose name has the letters, word beginnings first", () => {
    expect(completions("@air", known).map((it) => it.label)).toEqual(["Airports", "data.airports"]);
    expect(completions("@cit", known).map((it) => it.label)).toEqual(["data.cities", "city"]);
    expect(completions("@m", known).map((it) => it.label)).toEqual(["elevation_m"]);
  });

  it("writes commands out as words for the agent", () => {
    expect(completions("/res", known)).toEqual([{ label: "/reset", kind: "command", text: "reset the map", help: "slashReset" }]);
    expect(completions("/sql", known)).toEqual([]);
    expect(completions("/sql", { ...known, sql: true }).map((it) => it.text)).toEqual(["sql: SELECT "]);
  });
});

describe("next steps", () => {
  const column = (name: string, change: Partial<Column>): Column => ({
    name, kind: "number", sql_type: "", comment: null, nullable: true, samples: [], minimum: null, maximum: null, ...change,
  });
  const table = {
    id: "data.airports", key: ["id"],
    columns: [column("id", { kind: "integer" }), column("elevation_m", { minimum: -100, maximum: 4500 })],
  } as unknown as Table;

  const suggested = (layers: Layer[], tableOf: () => Table | null, starters: string[]) =>
    nextSteps(layers, tableOf, starters.map((message) => asRequest({ message }))).map((it) => it.message);

  it("begin with the starters on an empty map", () => {
    expect(suggested([], () => null, ["a", "b", "c", "d"])).toEqual(["a", "b", "c"]);
  });

  it("are made from the columns of the topmost layer", () => {
    expect(suggested([layer("airports")], () => table, ["show airports in red"])).toEqual([
      "colour airports by elevation", "only the ones with elevation over 1000", "histogram of elevation",
    ]);
  });

  it("prefer what is measured to years, which are written without separators", () => {
    const year = column("opened_yr", { kind: "integer", minimum: 1950, maximum: 2020 });
    const of = (...columns: Column[]) => nextSteps([layer("airports")], () => ({ ...table, columns }) as unknown as Table, []);
    expect(of(year, column("elevation_m", { minimum: 0, maximum: 4500 }))[0]?.message).toBe("colour airports by elevation");
    expect(of(year).map((it) => it.label)).toContain("only the ones with opened yr over 2000");
  });

  it("offer to lift a filter that is there", () => {
    const filtered = layer("airports", { filter: { op: ">", args: [{ property: "elevation_m" }, 2000] } });
    expect(suggested([filtered], () => table, [])).toContain("show all airports");
    const named = (name: string) => suggested([{ ...layer("a"), name }], () => null, []);
    expect(named("Airports within 50 km")).toEqual(['remove "Airports within 50 km"']);
    expect(named("Airports")).toEqual(["remove airports"]);
  });

  it("are labelled in the language of the page, and sent so that the model understands them", async () => {
    await setLanguage("ar");
    const large = { ...table, columns: [column("length_m", { minimum: 0, maximum: 21e6 })] } as unknown as Table;
    const [colour, only] = nextSteps([layer("airports")], () => large, []);
    await setLanguage("en");
    expect(only?.label).toContain("7 ملايين");
    expect(only?.message).toBe("only the ones with length over 7 million");
    expect(colour === undefined ? "" : spoken(colour, "offline")).toBe("colour airports by length");
    expect(colour === undefined ? "" : spoken(colour, "gpt")).toMatch(/^لوّن airports/);
  });
});
