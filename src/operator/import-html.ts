import { failedCsvRows, IMPORT_ROWS_MAX, type ImportOutcome } from '../assets/asset-import.ts';
import type { Answers } from './answers.ts';
import { type Content, type Html, html } from './html.ts';
import { GROUPS_MAX, missingGroups, namesInFile, reasonsOf, repeatedLines, whyOf } from './import-reasons.ts';
import { badge, counted, legend, table } from './parts.ts';
import type { State } from './states.ts';

type Imported = Answers['importAssets'];

/** The rows of an import, as a file or as typed. */
export interface ImportedRows {
  /** Name of the file. */
  name: string;
  bytes: Buffer;
  isJson: boolean;
}

/** Larger files, and larger files of failed rows, are not kept in the page. */
const SHOWN_BYTES_MAX = 1024 * 1024;

/** Null also where characters would be lost. */
function textOf({ bytes }: ImportedRows): string | null {
  if (bytes.length === 0 || bytes.length > SHOWN_BYTES_MAX) return null;
  const text = bytes.toString();
  return text.includes('\ufffd') ? null : text;
}

export const importHtml = (rows: ImportedRows | null = null, fault: string | null = null): Html => html`
<p class="crumbs"><a href="/operator/fleet">Fleet</a></p>
<h1>Import devices</h1>
${formHtml(rows, fault)}
<h2>What the file holds</h2>
<p>The first line of a CSV file names the columns. Only the serial number has to be there. A group is one that exists, by its name. Cells may be separated by semicolons, as many spreadsheets save them.</p>
<pre tabindex="0"><code>serialNumber,name,model,buildingId,floor,spaceId,group
282C02424EED,Vaccine fridge 2,TVO-THT,main,0,pharmacy,Vaccine fridges
282C02424EEE,Blood bank,TVO-T,main,1,,</code></pre>`;

function formHtml(rows: ImportedRows | null, fault: string | null): Html {
  const text = rows && textOf(rows);
  return html`<form method="post" action="/operator/import" enctype="multipart/form-data" class="form">
<div class="field"><label for="file">File, CSV or JSON</label><input type="file" id="file" name="file" accept=".csv,.json,text/csv,application/json"></div>
<div class="field"><label for="rows">Or the rows themselves</label>
<textarea id="rows" name="rows" rows="${text ? 12 : 4}" spellcheck="false" class="lines"${fault !== null && html` aria-describedby="fault" aria-invalid="true" autofocus`}>
${text}</textarea>${fault !== null && html`<p class="problem" role="alert" id="fault">${fault}</p>`}</div>
<p class="help">Up to ${IMPORT_ROWS_MAX.toLocaleString('en')} devices. A serial number that is registered already is left as it is, so the same file may be sent again.</p>
<div class="actions"><button class="main" name="step" value="check">Check</button> <button>Import without a check</button> <span class="quiet">The check registers nothing.</span></div></form>`;
}

/** More rows are hard to look through: the mistakes of all are gathered above. */
export const ROWS_SHOWN = 200;

/** Failed rows come first, then warnings and repeated serial numbers, because they need attention. */
export function importedHtml(imported: Imported, rows: ImportedRows): Html {
  const repeated = repeatedLines(imported.results);
  const shown = failedFirst(imported.results, repeated).slice(0, ROWS_SHOWN);
  const names = namesInFile(rows, new Set(shown.map(({ line }) => line)));
  return html`
<p class="crumbs"><a href="/operator/fleet">Fleet</a> <a href="/operator/import">Import devices</a></p>
<h1>${imported.dryRun ? 'Check of' : 'Imported'} ${rows.name}</h1>
${imported.dryRun && html`<p role="status">Nothing is registered yet.</p>`}
${legend(OUTCOMES.map((outcome) => ({ state: stateOf(outcome, imported), count: imported[outcome] - (outcome === 'unchanged' ? repeated.size : 0) })))}
${repeated.size > 0 && html`<p>${repeatedText(repeated.size)}</p>`}
${warnedCount(imported) > 0 && html`<p>${warnedCount(imported).toLocaleString('en')} with a warning.</p>`}
${imported.failed > 0 && reasonsHtml(imported, rows)}
${imported.dryRun && confirmHtml(imported, rows)}
${imported.failed > 0 && failedRowsHtml(imported, rows)}
${table({
  caption: 'The rows of the file, those that failed first',
  head: ['Line', 'Serial number', 'Name', 'Result', 'Why'],
  rows: shown.map((result) => resultRow(result, imported, { names, repeated })),
  empty: 'The file holds no device.',
})}
${imported.results.length > ROWS_SHOWN && html`<p class="quiet">${notShown(imported)}</p>`}
<p><a href="/operator/import">Import another file</a></p>`;
}

const repeatedText = (count: number): string =>
  count === 1
    ? '1 row repeats the serial number of an earlier line.'
    : `${count.toLocaleString('en')} rows repeat the serial number of an earlier line.`;

const warnedCount = ({ results }: Imported): number =>
  results.filter(({ warnings = [] }) => warnings.length > 0).length;

const REASONS_SHOWN = 20;
const LINES_SHOWN = 5;

function reasonsHtml({ results }: Imported, rows: ImportedRows): Content {
  const reasons = reasonsOf(results);
  const groups = missingGroups(results, rows);
  return html`<section class="panel"><h2>What is wrong</h2><ul class="warnings">${reasons
    .slice(0, REASONS_SHOWN)
    .map(
      ({ error, lines }) =>
        html`<li><strong>${counted(lines.length, 'row')}</strong>: ${error} <span class="quiet">(line ${lines.slice(0, LINES_SHOWN).join(', ')}${lines.length > LINES_SHOWN && ', …'})</span></li>`,
    )}</ul>${groups.length > 0 && groupsHtml(groups, rows)}</section>`;
}

function groupsHtml(groups: readonly string[], rows: ImportedRows): Content {
  const text = textOf(rows);
  const created = groups.slice(0, GROUPS_MAX);
  return html`<p>No group is named ${created.map((name, index) => html`${index > 0 && ', '}<strong>${name}</strong>`)}${groups.length > GROUPS_MAX && ', …'}.</p>
${
  text !== null &&
  html`<form method="post" action="/operator/import" enctype="multipart/form-data" class="actions">
<input type="hidden" name="name" value="${rows.name}"><textarea name="rows" hidden aria-label="Rows">
${text}</textarea><button name="step" value="groups">Create ${created.length === 1 ? 'this group' : `these ${created.length} groups`}, and check again</button></form>`
}`;
}

const OUTCOMES: readonly ImportOutcome[] = ['created', 'unchanged', 'failed'];

function stateOf(outcome: ImportOutcome, { dryRun }: Imported): State {
  if (outcome === 'created') return dryRun ? 'to_be_registered' : 'registered';
  return outcome === 'unchanged' ? 'registered_before' : 'failed';
}

/** The same rows once more, in the page. */
function confirmHtml({ created }: Imported, rows: ImportedRows): Content {
  const text = textOf(rows);
  if (created === 0) return null;
  if (text === null)
    return html`<p>The file is too large to be kept in this page: <a href="/operator/import">choose it again</a> to import it.</p>`;
  return html`<form method="post" action="/operator/import" enctype="multipart/form-data" class="form">
<input type="hidden" name="name" value="${rows.name}">
<details><summary>The rows</summary><label class="hidden" for="rows">Rows</label><textarea id="rows" name="rows" rows="12" spellcheck="false" class="lines">
${text}</textarea></details>
<div class="actions"><button class="main">Register ${counted(created, 'device')}</button> <button name="step" value="check">Check again</button></div></form>`;
}

/** A file within the page, so that no row is kept for it. */
function failedRowsHtml({ results }: Imported, { bytes, isJson }: ImportedRows): Html {
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const text = isJson
    ? ['line,serialNumber,error', ...failed.map(failedLine)].join('\r\n')
    : failedCsvRows(bytes, new Map(failed.map((result) => [result.line, whyOf(result).join('; ')])));
  if (Buffer.byteLength(text) > SHOWN_BYTES_MAX)
    return html`<p>The failed rows are too many to be kept in this page: check the file in smaller parts to download those of each.</p>`;
  const url = `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`;
  return html`<p><a class="button" download="failed-rows.csv" href="${url}">Download the failed rows</a> <span class="quiet">Correct them, and import that file.</span></p>`;
}

const failedLine = (result: Imported['results'][number]): string =>
  [String(result.line), result.serialNumber ?? '', whyOf(result).join('; ')].map(toCell).join(',');

/** Quoted, and never a formula for a spreadsheet. */
const toCell = (text: string): string => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;

function notShown({ results, failed }: Imported): string {
  const count = results.length - ROWS_SHOWN;
  return failed <= ROWS_SHOWN
    ? `Not shown: ${counted(count, 'row')} without a fault.`
    : `Not shown: ${counted(count, 'row')}, ${(failed - ROWS_SHOWN).toLocaleString('en')} of which failed.`;
}

function urgencyOf(
  { outcome, line, warnings = [] }: Imported['results'][number],
  repeated: ReadonlySet<number>,
): number {
  if (outcome === 'failed') return 0;
  return warnings.length > 0 || repeated.has(line) ? 1 : 2;
}

const failedFirst = (results: Imported['results'], repeated: ReadonlySet<number>) =>
  [...results].sort((a, b) => urgencyOf(a, repeated) - urgencyOf(b, repeated) || a.line - b.line);

interface FileLines {
  /** Names of devices by line. */
  names: ReadonlyMap<number, string>;
  repeated: ReadonlySet<number>;
}

function resultRow(
  result: Imported['results'][number],
  imported: Imported,
  { names, repeated }: FileLines,
): Content[] {
  const { line, serialNumber, id, outcome } = result;
  const isRepeated = repeated.has(line);
  return [
    line,
    id === null
      ? html`<code>${serialNumber ?? ''}</code>`
      : html`<a class="name" href="/operator/devices/${id}">${serialNumber}</a>`,
    names.get(line),
    isRepeated ? html`<span class="quiet">repeated</span>` : badge(stateOf(outcome, imported)),
    [...whyOf(result), ...(isRepeated ? ['an earlier line has this serial number'] : [])].join('; '),
  ];
}
