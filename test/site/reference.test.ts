/** The API reference: pages that are made of the OpenAPI document. */
import assert from 'node:assert/strict';
import { readApiDocument } from '../../src/commands/api-document-file.ts';
import { operationsOf } from '../../src/http/api-document.ts';
import { toText } from '../../src/operator/html.ts';
import { referenceDocuments, renderReference } from '../../src/site/reference.ts';
import { rowsOf } from '../../src/site/reference-fields.ts';
import { sampleOf, toCurl, toPython, toTypeScript } from '../../src/site/samples.ts';

const document = readApiDocument();
const operations = operationsOf(document);
const operationNamed = (id: string) =>
  operations.find((each) => each.id === id) as (typeof operations)[number];

describe('The API reference', () => {
  const pages = referenceDocuments(document).map((page) => ({ page, ...renderReference(document, page) }));
  const ids = pages.flatMap(({ headings }) => headings.map(({ id }) => id));

  it('shows a section for each operation and each event, once', () => {
    const expected = [...operations.map(({ id }) => id), ...Object.keys(document.webhooks)];
    assert.deepEqual(ids.toSorted(), expected.toSorted());
  });

  it('lists each operation on its first page, with a link to its section', () => {
    const first = toText(pages[0]?.body);
    const missing = operations.filter(({ id }) => !first.includes(`#${id}">`));
    assert.deepEqual(missing, []);
  });

  it('shows each section with code, and fields of everything that is sent', () => {
    const groups = toText(pages.find(({ title }) => title === 'Groups')?.body);
    for (const shown of [
      '<code>rollout.firstPercent</code>',
      '<code>name</code> <small>required</small>',
      'curl -X PATCH &quot;https://loggers.example.com/groups/',
      'await dms.updateGroup({ groupId: ',
      'dms.update_group(',
    ])
      assert.ok(groups.replaceAll('&#39;', "'").includes(shown), shown);
  });

  it('flattens the fields of lists and of nullable objects', () => {
    const rows = rowsOf(document, { $ref: '#/components/schemas/CreateEscalation' });
    assert.deepEqual(
      rows.filter(({ name }) => name.startsWith('steps')).map(({ name, type }) => [name, type]),
      [
        ['steps', 'list of object'],
        ['steps[].afterMinutes', 'integer'],
        ['steps[].channelIds', 'list of string'],
      ],
    );
  });
});

describe('Examples of calls', () => {
  it('writes bodies, files and parameters in the way of each language', () => {
    const rename = sampleOf(document, operationNamed('changeAsset'));
    assert.match(
      toCurl(rename),
      /^curl -X PATCH "[^"]+\/assets\/019c[^"]+" \\\n {2}-H "Authorization: Bearer \$DMS_KEY" /,
    );
    assert.match(toTypeScript(rename), /body: \{ name: 'Vaccine fridge 3', spaceId: null \} \}\)$/);
    assert.match(toPython(rename), /body=\{"name": "Vaccine fridge 3", "spaceId": None\}\)$/);
    const statistics = sampleOf(document, operationNamed('getStatistics'));
    assert.match(toPython(statistics), /^dms\.get_statistics\("019c.*", from_="2026-03-01T00:00:00Z", to="/);
    const upload = sampleOf(document, operationNamed('uploadCalibrationCertificate'));
    assert.match(toCurl(upload), /--data-binary @certificate\.pdf$/);
    assert.match(toTypeScript(upload), /body: await readFile\('certificate\.pdf'\) \}\)$/);
    const download = sampleOf(document, operationNamed('exportMeasurements'));
    assert.match(toCurl(download), /all=true" .*\n.*-o measurements\.ndjson$/s);
  });
});
