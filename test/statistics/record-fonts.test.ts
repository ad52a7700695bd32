/** The fonts in which records for auditors write names and comments. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validateEnvironment } from '../../src/process/environment.ts';
import { createLog } from '../../src/process/log.ts';
import { register } from '../support/fleet.ts';
import { startService, type TestService } from '../support/service.ts';

/** It has bold letters of mathematics, which the font of the service lacks, and no Cyrillic ones. */
const FURTHER = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuMathTeXGyre.ttf'));

describe('A record in letters of any script', () => {
  let dms: TestService;
  let folder: string;
  let noFont: string;
  const lines: Array<{ msg: string; file?: string }> = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dms-fonts-'));
    noFont = join(folder, 'none.ttf');
    writeFileSync(noFont, 'no font');
    dms = await startService({
      withWorker: false,
      log: createLog('error', { write: (line) => void lines.push(JSON.parse(line)) }),
      settings: { pdfFonts: [noFont, FURTHER] },
    });
  });
  after(async () => {
    await dms.stop();
    rmSync(folder, { recursive: true });
  });

  let devices = 0;
  /** The fonts within the record of a device with this name, beside those that every reader of PDF has. */
  async function fontsFor(name: string): Promise<string[]> {
    const id = await register(dms, `NAMED-${++devices}`, { name });
    const path = `/assets/${id}/statistics?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`;
    const { status, bytes } = await dms.api.get(path, { headers: { accept: 'application/pdf' } });
    assert.equal(status, 200);
    return [...bytes.toString('latin1').matchAll(/\/FontName \/[A-Z]{6}\+(\S+)/g)].map(
      ([, font = '']) => font,
    );
  }

  it('embeds no font for the letters of western Europe', async () => {
    assert.deepEqual(await fontsFor('Kühlschrank Süd – “links”, 5 €'), []);
  });

  it('writes a name in the font that has all of its letters', async () => {
    assert.deepEqual(await fontsFor('Холодильник'), ['DejaVuSans']);
    assert.deepEqual(await fontsFor('Rock \u201bn roll'), ['DejaVuSans']);
    assert.deepEqual(await fontsFor('Room \u{1d401}'), ['DejaVuMathTeXGyre-Regular']);
  });

  it('writes a name in the font that has most of its letters when none has all', async () => {
    assert.deepEqual(await fontsFor('Холодильник \u{1d401}'), ['DejaVuSans']);
    assert.deepEqual(await fontsFor('冷蔵庫'), ['DejaVuSans']);
  });

  it('does without a file that holds no font, and logs it once', async () => {
    for (const name of ['\u{1d401}', '\u{1d402}']) await fontsFor(name);
    assert.deepEqual(
      lines.map(({ msg, file }) => [msg, file]),
      [['A file of PDF_FONTS holds no font: letters may be missing', noFont]],
    );
  });

  it('refuses to start with a file that cannot be read', () => {
    assert.equal(validateEnvironment({ PDF_FONTS: FURTHER }).PDF_FONTS, FURTHER);
    assert.throws(
      () => validateEnvironment({ PDF_FONTS: `${FURTHER},${folder}/missing.ttf` }),
      /PDF_FONTS must be readable files/,
    );
  });
});
