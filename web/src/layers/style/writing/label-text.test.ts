import { describe, expect, it } from "vitest";
import { columnsOf, completions, example, withColumn } from "./label-text";

const COLUMNS = ["name", "people", "{odd}"];
const ROWS = [{ name: "Rome", people: null }, { name: "Berlin", people: 3426354, "{odd}": "strange" }];

describe("the text of labels", () => {
  it("is a column or reads those in braces", () => {
    expect(columnsOf("name", COLUMNS)).toEqual(["name"]);
    expect(columnsOf("{odd}", COLUMNS)).toEqual(["{odd}"]);
    expect(columnsOf("{name} ({people})", COLUMNS)).toEqual(["name", "people"]);
  });

  it("is completed with columns behind an open brace", () => {
    expect(completions("", COLUMNS)).toEqual(COLUMNS);
    expect(completions("{name} ({pe", ["name", "people"])).toEqual(["{name} ({name}", "{name} ({people}"]);
    expect(completions("{name} (", COLUMNS)).toEqual([]);
  });

  it("becomes a text when a second column is added", () => {
    expect(withColumn("", "name", COLUMNS)).toBe("name");
    expect(withColumn("name", "people", COLUMNS)).toBe("{name} {people}");
    expect(withColumn("{name}:", "people", COLUMNS)).toBe("{name}: {people}");
  });

  it("is shown with the values of a row that has all of them", () => {
    expect(example("{name}: {people}", COLUMNS, ROWS)).toBe("Berlin: 3,426,354");
    expect(example("name", COLUMNS, ROWS)).toBe("Rome");
    expect(example("{odd}", COLUMNS, ROWS)).toBe("strange");
    expect(example("{nothing}", COLUMNS, ROWS)).toBe("");
  });
});
