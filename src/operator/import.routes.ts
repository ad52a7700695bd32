import { IMPORT_BYTES_MAX } from '../assets/asset-import.ts';
import type { PageReply, PageRequest } from '../http/page-route.ts';
import type { Html } from './html.ts';
import { type ImportedRows, importedHtml, importHtml } from './import-html.ts';
import { GROUPS_MAX, missingGroups, refusalInWords } from './import-reasons.ts';
import type { FormPageDeps, OperatorPage } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';

const path = `${OPERATOR_PATH}/import`;
const TYPED = 'the rows';

export function importRoutes({ ask, layout, toRefusal }: FormPageDeps): OperatorPage[] {
  const show = (session: Session, content: Html, status?: number): PageReply => ({
    page: layout({ title: 'Import devices', session, section: 'Fleet' }, content),
    status,
  });

  const send = (session: Session, { bytes, isJson }: ImportedRows, isCheck: boolean) =>
    ask(session, 'importAssets', {
      raw: { bytes, contentType: isJson ? 'application/json' : 'text/csv' },
      query: isCheck ? { dryRun: 'true' } : {},
    });

  /** Groups that the rows name and that do not exist yet. */
  async function createGroups(session: Session, rows: ImportedRows): Promise<void> {
    const { results } = await send(session, rows, true);
    for (const name of missingGroups(results, rows).slice(0, GROUPS_MAX))
      await ask(session, 'createGroup', { body: { name } });
  }

  async function receive(session: Session, rows: ImportedRows, step: string | null): Promise<PageReply> {
    try {
      if (step === 'groups') await createGroups(session, rows);
      return show(session, importedHtml(await send(session, rows, step !== null), rows));
    } catch (thrown) {
      const {
        messages: [message = ''],
        status,
      } = toRefusal(thrown);
      return show(session, importHtml(rows, refusalInWords(message, rows)), status);
    }
  }

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
      async handle(request) {
        const rows = rowsIn(request);
        if (rows.bytes.length > 0) return receive(request.visitor, rows, request.form.get('step'));
        return show(
          request.visitor,
          importHtml(null, 'Choose a file of devices first, or type the rows'),
          400,
        );
      },
    },
  ];
}

/** A file, else the rows as typed. */
function rowsIn({ file, form }: PageRequest<Session>): ImportedRows {
  const bytes = file?.bytes ?? Buffer.from(form.get('rows')?.trim() ? (form.get('rows') ?? '') : '');
  return { name: file?.name ?? (form.get('name') || TYPED), bytes, isJson: beginsAsJson(bytes) };
}

/** Decided by the first bytes: the type of a file that a browser sends depends on installed programs. */
const beginsAsJson = (bytes: Buffer): boolean => /^\ufeff?\s*[[{]/.test(bytes.subarray(0, 100).toString());
