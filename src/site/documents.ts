/** The pages of the site, in reading order. */

export interface Document {
  /** Below `/docs`; empty for the first page. */
  path: string;
  /** Path in the repository. */
  file: string;
  /** Used in the navigation. */
  label: string;
  /** Left out of the search, because other pages have its words. */
  isUnsearched?: boolean;
}

export interface Section {
  title: string;
  documents: Document[];
}

const page = (path: string, label: string, file = `docs/${path}.md`): Document => ({ path, file, label });

/** The reference stands after the guides. */
export const sectionsWith = (reference: Document[]): Section[] => [
  ...GUIDES,
  { title: 'API reference', documents: reference },
  ...OTHERS,
];

const GUIDES: Section[] = [
  {
    title: 'Start',
    documents: [page('', 'Overview', 'README.md'), page('quickstart', 'Quickstart')],
  },
  {
    title: 'Build on it',
    documents: [
      page('webhooks', 'Verify a webhook'),
      page('connect-a-logger', 'Connect a logger'),
      page('many-loggers', 'From a spreadsheet to a fleet'),
      page('groups-and-rollouts', 'Groups and rollouts'),
      page('alerts-and-channels', 'Alerts and channels'),
      page('night-shift', 'The night shift'),
      page('a-night', 'A night'),
      page('errors', 'Errors'),
      { ...page('operations', 'Table of operations'), isUnsearched: true },
      page('typescript-client', 'TypeScript client', 'client/README.md'),
      page('python-client', 'Python client', 'client/python/README.md'),
    ],
  },
];

const OTHERS: Section[] = [
  {
    title: 'Run it',
    documents: [
      page('production', 'Production'),
      page('operating', 'Operating'),
      page('postgresql', 'PostgreSQL for years'),
      page('temporal-ui', 'The Temporal UI'),
      page('kubernetes', 'Kubernetes'),
      page('configuration', 'Configuration'),
      page('command-line', 'Command line'),
      page('devices', 'Loggers in detail'),
      page('security', 'Security', 'SECURITY.md'),
      page('changelog', 'Changes', 'CHANGELOG.md'),
      page('support', 'Support'),
    ],
  },
  {
    title: 'Rely on it',
    documents: [
      page('guarantees', 'Guarantees'),
      page('contract', 'API contract'),
      page('glossary', 'Glossary'),
      page('states', 'States'),
      page('schema', 'Database schema', 'docs/schema.sql'),
    ],
  },
  {
    title: 'Change it',
    documents: [
      page('architecture', 'Architecture', 'ARCHITECTURE.md'),
      page('first-tasks', 'First tasks'),
      page('walk-of-a-frame', 'The walk of a frame'),
      page('walk-of-an-apply', 'The walk of an apply'),
      page('contributing', 'Contributing', 'CONTRIBUTING.md'),
      page('releasing', 'Making a release'),
      page('decisions', 'Decisions', 'docs/decisions/README.md'),
      page('code-of-conduct', 'Code of conduct', 'CODE_OF_CONDUCT.md'),
    ],
  },
];

/** Decisions are listed by a page of their own; their labels are their headings. */
export const decisionDocument = (name: string, text: string): Document =>
  page(`decisions/${name}`, /^# (.+)/.exec(text)?.[1] ?? name);

/** Files that pages show or link, and that are not pages. */
export const PICTURES = [
  'docs/shape.svg',
  ...[
    'fleet',
    'device',
    'night-alert',
    'night-acknowledged',
    'night-temporal',
    'night-device',
    'night-record',
  ].map((name) => `docs/images/${name}.png`),
];
