/** E-mail as the mail server of the operator receives it. */
import assert from 'node:assert/strict';
import { createMailer, type Mailer } from '../../src/notifications/mailer.service.ts';
import { readSettings } from '../../src/process/config.ts';
import { startMailServer, type TestMailServer } from './harness.ts';

const REQUIRED = {
  DATABASE_URL: 'postgres://nowhere',
  TEMPORAL_ADDRESS: 'nowhere:1',
  SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
};

describe('A mail', () => {
  let server: TestMailServer;
  let mailer: Mailer;

  before(async () => {
    server = await startMailServer();
    assert.ok(server.smtp);
    mailer = createMailer(server.smtp);
  });
  after(async () => {
    mailer.close();
    await server.stop();
  });

  it('shows a name that reads like an encoded word, and does not decode it', async () => {
    const subject = 'New alert: =?utf-8?q?x?= Room, too warm';
    await mailer.send({ id: 'encoded', to: 'quality@example.com', subject, text: '' });
    const [sent] = server.mails;
    assert.match(sent?.source ?? '', /^Subject: New alert: = \?utf-8\?q\?x\?= Room, too warm\r?$/m);
  });

  it('is known to be unsent when no server answers, or when it is put off, and not once it is refused or taken', async () => {
    const nobody = createMailer({ url: 'smtp://127.0.0.1:9', from: 'alerts@example.com', timeoutMs: 5_000 });
    server.putOff('busy@example.com');
    server.remove('gone@example.com');
    const send = async (by: Mailer, to: string) =>
      (await by.send({ id: 'unsent', to, subject: 'A test', text: '' })).isUnsent ?? false;
    assert.deepEqual(
      [
        await send(nobody, 'ada@example.com'),
        await send(mailer, 'busy@example.com'),
        await send(mailer, 'gone@example.com'),
        await send(mailer, 'ada@example.com'),
      ],
      [true, true, false, false],
    );
    nobody.close();
  });

  it('is claimed for longer than the mail server may take, whatever the limits are', () => {
    for (const webhook of [1, 60])
      for (const smtp of [1, 60]) {
        const env = { WEBHOOK_DEADLINE_SECONDS: String(webhook), SMTP_TIMEOUT_SECONDS: String(smtp) };
        const { leaseSeconds } = readSettings({ ...REQUIRED, ...env }).webhooks;
        assert.ok(leaseSeconds > Math.max(webhook, smtp) + 10, `${webhook} ${smtp}`);
      }
  });
});
