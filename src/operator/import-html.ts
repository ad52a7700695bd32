import { IMPORT_ROWS_MAX } from '../assets/asset-import.ts';
import type { Answers } from './answers.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, legend, table } from './parts.ts';

type Imported = Answers['importAssets'];

export const importHtml = (): Html => html`
<p class="crumbs"><a href="/operator">Fleet</a></p>
<h1>Import devices</h1>
<section class="panel"><h2>From a file</h2>
<form method="post" action="/operator/import" enctype="multipart/form-data" class="stacked">
<label>File, CSV or JSON <input type="file" name="file" required accept=".csv,.json,text/csv,application/json"></label>
<button class="main">Import</button>
<span class="quiet">Up to ${IMPORT_ROWS_MAX.toLocaleString('en')} devices. A serial number that is registered already is left as it is, so the same file may be sent again.</span>
</form></section>
<h2>What the file holds</h2>
<p>The first line of a CSV file names the columns. Only the serial number has to be there. A group is one that exists, by its name. Cells may be separated by semicolons, as many spreadsheets save them.</p>
<pre tabindex="0"><code>serialNumber,name,model,buildingId,floor,spaceId,group
282C02424EED,Vaccine fridge 2,TVO-THT,main,0,pharmacy,Vaccine fridges
282C02424EEE,Blood bank,TVO-T,main,1,,</code></pre>`;

/** More rows would delay other requests while the page is made. */
export const ROWS_SHOWN = 2_000;

/** Failed rows come first, because they need attention. */
export const importedHtml = (
  { created, unchanged, failed, results }: Imported,
  fileName: string,
): Html => html`
<p class="crumbs"><a href="/operator">Fleet</a> <a href="/operator/import">Import devices</a></p>
<h1>Imported ${fileName}</h1>
${legend([
  { state: 'newly_registered', count: created },
  { state: 'registered_before', count: unchanged },
  { state: 'failed', count: failed },
])}
${table({
  caption: 'The rows of the file, those that failed first',
  head: ['Row', 'Serial number', 'Result', 'Why'],
  rows: failedFirst(results).slice(0, ROWS_SHOWN).map(resultRow),
  empty: 'The file holds no device.',
})}
${results.length > ROWS_SHOWN && html`<p class="quiet">${notShown(results.length - ROWS_SHOWN, failed)}</p>`}
<p><a href="/operator/import">Import another file</a></p>`;

const notShown = (count: number, failed: number): string =>
  failed <= ROWS_SHOWN
    ? `The other ${count.toLocaleString('en')} rows are registered.`
    : `${count.toLocaleString('en')} rows are not shown, ${(failed - ROWS_SHOWN).toLocaleString('en')} of which failed.`;

const failedFirst = (results: Imported['results']) =>
  [...results].sort((a, b) => Number(a.id !== null) - Number(b.id !== null) || a.row - b.row);

const resultRow = ({
  row,
  serialNumber,
  id,
  error,
  warnings = [],
}: Imported['results'][number]): Content[] => [
  row,
  id === null
    ? html`<code>${serialNumber ?? ''}</code>`
    : html`<a class="name" href="/operator/devices/${id}">${serialNumber}</a>`,
  badge(id === null ? 'failed' : 'registered', id === null ? 'bad' : 'good'),
  error ?? warnings.join('; '),
];
