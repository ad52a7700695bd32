import { IMPORT_BYTES_MAX } from '../assets/asset-import.ts';
import { invalid } from '../process/errors.ts';
import { importedHtml, importHtml } from './import-html.ts';
import type { OperatorPage, PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';

const path = `${OPERATOR_PATH}/import`;

export function importRoutes({ ask, layout }: PageDeps): OperatorPage[] {
  const show = (session: Session, content: ReturnType<typeof importHtml>) => ({
    page: layout({ title: 'Import devices', session, section: 'Fleet' }, content),
  });
  return [
    {
      method: 'GET',
      path,
      role: 'write',
      handle: async ({ visitor }) => show(visitor, importHtml()),
    },
    {
      method: 'POST',
      path,
      role: 'write',
      fileBytesMax: IMPORT_BYTES_MAX,
      async handle({ visitor: session, file }) {
        if (!file) throw invalid('Choose a file of devices first');
        const raw = { bytes: file.bytes, contentType: isJson(file.bytes) ? 'application/json' : 'text/csv' };
        const imported = await ask(session, 'importAssets', { raw });
        return show(session, importedHtml(imported, file.name));
      },
    },
  ];
}

/** Decided by the first bytes: the type of a file that a browser sends depends on installed programs. */
const isJson = (bytes: Buffer): boolean => /^\ufeff?\s*[[{]/.test(bytes.subarray(0, 100).toString());
