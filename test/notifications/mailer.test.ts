/** E-mail as the mail server of the operator receives it. */
import assert from 'node:assert/strict';
import { createMailer, type Mailer } from '../../src/notifications/mailer.service.ts';
import { startMailServer, type TestMailServer } from './harness.ts';

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
});
