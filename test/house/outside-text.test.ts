/** Text from outside is cut by `cutText`, and times are parsed by the grammar of their format. */
import assert from 'node:assert/strict';
import ts from 'typescript';
import { readSources, type Source } from './sources.ts';

/** Cuts that do not concern text from outside, by file: lists, and text of the service's own characters. */
const OTHER_CUTS: Record<string, string> = {
  'src/alerts/alert-events.ts: BREACH_EVENTS_MAX': 'a list',
  'src/commands/asset-commands.ts: FAULTS_SHOWN': 'a list',
  'src/config-jobs/compile-devices.ts: CHANGES_MAX': 'a list',
  'src/devices/serial-number.ts: NAMED_SERIALS_MAX': 'a list',
  'src/gateway/coap-server.ts: DIGEST_CHARACTERS': 'a digest',
  'src/groups/groups.routes.ts: NAMED_IN_AUDIT_MAX': 'a list',
  'src/http/list-cursors.ts: MARK_LENGTH': 'a digest',
  'src/keys/api-key.ts: KEY_FORMATS[kind].prefix.length + PREVIEW_CHARACTERS': 'a key of ours',
  'src/notifications/gathering.service.ts: NAMED_MAX': 'a list',
  'src/operator/archived.routes.ts: DEVICES_PER_PAGE': 'a list',
  'src/operator/devices.routes.ts: COMPARED_MAX': 'a list',
  'src/operator/devices.routes.ts: MATCHES_SHOWN': 'a list',
  'src/operator/groups-html.ts: LEAVING_SHOWN': 'a list',
  'src/operator/import-html.ts: GROUPS_MAX': 'a list',
  'src/operator/import-html.ts: LINES_SHOWN': 'a list',
  'src/operator/import-html.ts: REASONS_SHOWN': 'a list',
  'src/operator/import-html.ts: ROWS_SHOWN': 'a list',
  'src/operator/import.routes.ts: GROUPS_MAX': 'a list',
  'src/operator/job-progress.ts: LATEST_SHOWN': 'a list',
  'src/operator/webhooks.routes.ts: FAILURES_SHOWN': 'a list',
  'src/process/open-telemetry.ts: LINKS_MAX': 'a list',
  'src/profiles/profile.ts: SLUG_LENGTH_MAX': 'letters a to z and digits',
  'src/statistics/record-text.ts: BOUNDS_MAX': 'a list',
  'src/statistics/record.repository.ts: LISTED_MAX': 'a list',
  'src/temporal/start-missing-workflows.ts: CHECKED_PER_SWEEP': 'a list',
};

/** `Date.parse` accepts much that is not a date: a lone 40 is the year 2040. */
const PARSES_DATES: Record<string, string> = {
  'src/operator/curve.ts': 'times of our own answers',
  'src/process/iso-time.ts': 'after it has checked the form',
  'src/process/durations.ts': 'times of our own activities',
};

const sources = readSources(['client/src', 'src', 'workflows', 'activities']);

function callsOf({ nodes }: Source, names: string[]): ts.CallExpression[] {
  return nodes.filter(
    (node): node is ts.CallExpression =>
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      names.includes(node.expression.name.text),
  );
}

describe('Text from outside', () => {
  it('cuts text by one function, which knows code points', () => {
    const cuts = sources.flatMap((source) =>
      callsOf(source, ['slice'])
        .filter((call) => call.arguments[0]?.getText() === '0')
        .map((call) => `${source.path}: ${call.arguments[1]?.getText()}`)
        .filter((cut) => /: .*\b[A-Z][A-Z_]+\b/.test(cut)),
    );
    assert.deepEqual([...new Set(cuts)].sort(), Object.keys(OTHER_CUTS).sort());
    const others = sources.filter((source) => callsOf(source, ['substring', 'substr']).length > 0);
    assert.deepEqual(
      others.map(({ path }) => path),
      [],
      'slice or cutText does it',
    );
  });

  it('reads times by their grammar only', () => {
    const parsing = sources.filter((source) =>
      callsOf(source, ['parse']).some(
        ({ expression, arguments: [text] }) =>
          expression.getText() === 'Date.parse' && text !== undefined && !ts.isStringLiteral(text),
      ),
    );
    assert.deepEqual(parsing.map(({ path }) => path).sort(), Object.keys(PARSES_DATES).sort());
  });
});
