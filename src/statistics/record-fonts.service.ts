/** Fonts of the record: each text is written in the first font that has all of its letters, or else in the one with most. */
import { fileURLToPath } from 'node:url';
import { create, type Font } from 'fontkit';
import type { Page } from './record-chart.ts';

export type RecordFonts = ReturnType<typeof createRecordFonts>;

/** Every reader of PDF has it, and it takes the least time. */
const BUILT_IN = 'Helvetica';
/** Characters of Windows-1252. */
const BUILT_IN_CHARACTERS = /^[\x20-\x7e\xa0-\xff\u2013\u2014\u2018-\u201a\u201c-\u201e\u2026\u20ac]*$/;
const CONTROLS = /\p{Cc}/gu;
/** Latin, Greek, Cyrillic, Arabic, Hebrew and others. It lacks East and South Asian letters. */
const WIDE = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));

interface RecordFontsDeps {
  /** Files of further fonts, for letters that the font above lacks. */
  files: readonly string[];
  read(file: string): Buffer;
  /** Called once for a file that holds no font; records do without it. */
  onUnusable(error: unknown, file: string): void;
}

/** Each font is read when the first text needs it, and kept. */
export function createRecordFonts({ files, read, onUnusable }: RecordFontsDeps) {
  const opened = new Map<string, Font | null>();

  function open(file: string): Font | null {
    if (!opened.has(file)) opened.set(file, readFont(file));
    return opened.get(file) ?? null;
  }

  function readFont(file: string): Font | null {
    try {
      const found = create(read(file));
      return 'fonts' in found ? (found.fonts[0] ?? null) : found;
    } catch (error) {
      onUnusable(error, file);
      return null;
    }
  }

  function fontFor(text: string): { file: string; font: Font | null } {
    const letters = [...new Set(text.replace(CONTROLS, ''))].map((letter) => letter.codePointAt(0) as number);
    let best = { file: WIDE, font: open(WIDE), count: -1 };
    for (const file of [WIDE, ...files]) {
      const font = open(file);
      const count = font ? letters.filter((letter) => font.hasGlyphForCodePoint(letter)).length : 0;
      if (count > best.count) best = { file, font, count };
      if (count === letters.length) break;
    }
    return best;
  }

  return {
    /** Draws with the font for the text. */
    drawWith(page: Page, text: string, draw: () => void) {
      if (BUILT_IN_CHARACTERS.test(text)) return draw();
      const { file, font } = fontFor(text);
      // The name by which the document finds the font again.
      page.font(font as unknown as PDFKit.Mixins.PDFFontSource, file);
      draw();
      page.font(BUILT_IN);
    },
  };
}
