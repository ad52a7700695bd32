/** Words that were replaced by the field's own terms stay out: docs/glossary.md has the terms. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['src', 'dev', 'workflows', 'activities', 'migrations', 'bench', 'docs'];
const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', '.env.example'];
/** It names retired words to say what to use instead. */
const LEFT_OUT = ['docs/glossary.md'];

/**
 * Retired word: what to use. One in lower case is found in sentences and as a part of names, so `course` also in
 * `createCourse` and `job-course`; any other one as it stands.
 */
const RETIRED: Record<string, string> = {
  // Words
  astray: 'stale, orphaned',
  attend: 'recover, notify',
  attendance: 'recovery',
  attended: 'recovered',
  census: 'counts by state',
  course: 'run, state machine',
  courses: 'runs, state machines',
  deaf: 'unavailable (ingress)',
  ears: 'ingress',
  heard: 'in contact; recorded',
  hears: 'receives; is in contact',
  'in words': 'description',
  judge: 'evaluate',
  judged: 'evaluated',
  judges: 'evaluates',
  judging: 'evaluating',
  news: 'outcomes, updates',
  obedience: 'apply answer',
  obedient: 'applies the answer',
  obey: 'apply',
  sighting: 'contact of an unregistered device',
  sightings: 'contacts of an unregistered device',
  silence: 'overdue, offline',
  silent: 'overdue, offline',
  spoken: 'been in contact',
  stray: 'orphaned',
  strays: 'orphaned deliveries',
  told: 'notified, recorded, published',
  troubled: 'in trouble; wake',
  unattended: 'without a workflow',
  vouch: 'allow, authenticate',
  vouched: 'allowed, authenticated',
  'way in': 'ingress',
  'ways in': 'ingress',
  // Types, functions and constants
  AlertCourse: 'AlertEvaluator',
  CourseStep: 'AlertTransition',
  DeviceStep: 'LockedFrameResult',
  EndJob: 'FinishJob',
  EndpointLook: 'RecoveryView',
  FORGIVEN_MS: 'EXCUSED_MAX_MS',
  GIVEN_BACK: 'RELEASED',
  HeardDevice: 'ContactUpdate',
  JOB_LOOK_AGAIN_SECONDS: 'JOB_POLL_SECONDS',
  KeptInfo: 'DeviceInfoUpdate',
  LiveChange: 'ActiveChange',
  ProfileParts: 'ProfileSnapshot',
  SentFrame: 'FrameBody',
  SentReport: 'ReportBody',
  SentTogether: 'ReadingBatch',
  ShownVariant: 'ObservedVariant',
  TakenFrame: 'StoredFrame',
  TakenReading: 'ClassifiedReading',
  ToldInfo: 'DeviceInfoReport',
  WebhookScope: 'EndpointScope',
  WebhookTerms: 'EndpointSettings',
  asConfiguredNow: 'readConfigUnderLock',
  cameBack: 'cameOnline',
  cancelOfAsset: 'cancelByAsset',
  cancelOfJob: 'cancelByJob',
  countKnown: 'markDuplicates',
  endOrphans: 'resolveUndefined',
  followUp: 'updateEndpointHealth',
  forgetSeen: 'clearWorkflow',
  giveBackAll: 'invalidate, release',
  guardAlike: 'hasSameAlertRules',
  guardingConfig: 'monitoredConfig',
  hasNews: 'hasPendingSignal',
  holdRules: 'shareLockRules',
  in_doubt: 'maybe_stored',
  isUnanswered: 'isQueryTimeout',
  isWatchedAt: 'isActiveAt',
  lacksPartition: 'isMissingPartition',
  listening_gaps: 'ingress_outages',
  liveHolder: 'lockOwner',
  lookAgainMs: 'pollIntervalMs',
  lookAtEndpoint: 'getEndpointState',
  lookAtProgress: 'getJobState',
  markSeen: 'touchWorkflow',
  markWhole: 'markInitialized',
  noteAttempts: 'recordLastAttempts',
  onLoss: 'onServerExit',
  orExplain: 'runMain',
  refuseWriting: 'allowOnlyReads',
  rulesReplaced: 'onAlertRulesChanged',
  runsAnother: 'hasUnreportedChange',
  saysNothing: 'isEmptyReport',
  secretOverlap: 'secretGracePeriod',
  seen_hash: 'observed_hash',
  seenHash: 'observedHash',
  showHash: 'observeHash',
  silentFor: 'expectedIntervalSeconds',
  stillNamed: 'recheckSerials',
  stored_until: 'latest_measured_at',
  takesChange: 'canDeliverConfig',
  unclear_serial: 'ambiguous_serial',
  unrouted: 'notFoundOrMethodNotAllowed',
  wasMissed: 'wasOffline',
  watchContacts: 'sweepOffline',
  webhookUrlFault: 'endpointUrlFault',
  webhooksIn: 'endpointsIn',
  whoSpeaks: 'authenticate',
  workflow_seen_at: 'workflow_checked_at',
  // Files
  'alert-course': 'alert-state-machine',
  'calendars-wire': 'calendar-codec',
  'exchange-memory': 'exchange-cache',
  'held-port': 'port-reservation',
  'job-words': 'job-description',
  'rules-wire': 'rule-codec',
  'unknown-devices': 'unregistered-devices',
};

/** What stays allowed: usual English, and names that are not ours. */
const ALLOWED = [
  /\bof course\b/gi,
  // The log level, Koa's property, and an option of the Temporal CLI.
  /'silent'|error, silent|app\.silent/g,
  /--ui-disable-news-fetch/g,
  // An event of the API, and the field of its data.
  /fleet\.silent|\bsilent: |"silent"|`silent`|\{silent, total, since\}/g,
];

interface Line {
  place: string;
  text: string;
}

describe('Retired words', () => {
  it('are in no file', () => {
    const hits = linesToCheck().flatMap(({ place, text }) =>
      wordsIn(text).map((word) => `${place}: "${word}" is retired, use ${RETIRED[word]}`),
    );
    assert.equal(hits.join('\n'), '');
  });

  it('are found in sentences and in names, whatever their case', () => {
    assert.deepEqual(wordsIn('Told by createCourse, of the job-course: JOB_EARS'), [
      'course',
      'ears',
      'told',
    ]);
    assert.deepEqual(wordsIn('of course, years of discourse'), []);
  });
});

function wordsIn(text: string): string[] {
  if (!ANY.test(text)) return [];
  const rest = ALLOWED.reduce((left, allowed) => left.replace(allowed, ''), text);
  return Object.keys(RETIRED).filter((word) => PATTERNS[word]?.test(rest));
}

const PATTERNS: Record<string, RegExp> = Object.fromEntries(
  Object.keys(RETIRED).map((word) => [word, patternOf(word)]),
);

function patternOf(word: string): RegExp {
  if (!/^[a-z]+$/.test(word)) return new RegExp(`(?<![A-Za-z])${word}(?![a-z])`);
  const [first = '', rest] = [word[0], word.slice(1)];
  const capital = first.toUpperCase();
  return new RegExp(
    `((?<![A-Za-z])${first}|${capital})${rest}(?![a-z])|(?<![A-Z])${word.toUpperCase()}(?![A-Z])`,
  );
}

/** Of most lines one look is enough. */
const ANY = new RegExp(
  Object.values(PATTERNS)
    .map(({ source }) => source)
    .join('|'),
);

function linesToCheck(): Line[] {
  const files = [...FOLDERS.flatMap(filesIn), ...DOCUMENTS].filter((path) => !LEFT_OUT.includes(path));
  const tests = filesIn('test');
  return [
    ...[...files, ...tests].map((path) => ({ place: path, text: path })),
    ...files.flatMap(linesOf),
    ...tests.flatMap(titlesOf),
  ];
}

const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|md|sql|svg|sh)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const linesOf = (path: string): Line[] =>
  read(path)
    .split('\n')
    .map((text, index) => ({ place: `${path}:${index + 1}`, text }));

/** Titles of suites and tests. */
function titlesOf(path: string): Line[] {
  const source = read(path);
  return [...source.matchAll(/\b(?:describe|it)(?:\.\w+)?\(\s*(['"`])([\s\S]*?)\1/g)].map((match) => ({
    place: `${path}:${source.slice(0, match.index).split('\n').length}`,
    text: match[2] ?? '',
  }));
}
