import { describe, expect, it } from "vitest";
import { hasTable, plainText, toHtml } from "./markdown";

describe("markdown", () => {
  it("draws tables, lists and code", () => {
    const html = toHtml("| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n\n`code`");
    expect(html).toContain("<td>1</td>");
    expect(html).toContain("<li>x</li>");
    expect(html).toContain("<code>code</code>");
  });

  it("shows HTML as text", () => {
    const text = '<script>alert(1)</script> <b onclick="x()">b</b>';
    const page = new DOMParser().parseFromString(toHtml(text), "text/html").body;
    expect(page.querySelector("script, b")).toBeNull();
    expect(page.textContent).toContain(text);
  });

  it("never loads an image, but keeps its link", () => {
    const html = toHtml("![a picture](https://example.org/p.png)");
    expect(html).not.toContain("<img");
    expect(html).toContain('href="https://example.org/p.png"');
  });

  it("leads to files of this map", () => {
    const html = toHtml("[towns.gpkg](exports/a-B_1/towns.gpkg) [x](exports/../../x) [y](/api/maps/other)");
    expect(html).toMatch(/href="\/api\/maps\/[^/]*\/exports\/a-B_1\/towns\.gpkg"/);
    expect(html).toContain("download");
    expect(html.match(/href=/g)).toHaveLength(1);
  });

  it("follows no link but http, https and mail", () => {
    expect(toHtml("[x](javascript:alert(1)) [y](data:text/html,z)")).not.toMatch(/href="(javascript|data)/);
    expect(toHtml("[y](https://example.org)")).toContain('rel="noopener noreferrer nofollow"');
  });
});

it("what is read aloud has no signs of Markdown, and no markup", () => {
  expect(plainText("**12** airports in `data.airports`, [more](https://example.org) <b>raw</b>")).toBe("12 airports in data.airports, more <b>raw</b>");
});

it("a table is distinguished from lines between words", () => {
  expect(hasTable("8 rows:\n\n| a | b |\n| --- | ---: |\n| 1 | 2 |")).toBe(true);
  expect(hasTable("a | b\n\n---\n| c |")).toBe(false);
});

it("columns keep their alignment, and lists their first number", () => {
  expect(toHtml("| a | b |\n| --- | ---: |\n| x | 1 |")).toContain('<td align="right">1</td>');
  expect(toHtml("3. third")).toContain('<ol start="3">');
});
