/** Messages of refusals by shape alone: they name the field, and a valid form. */
import assert from 'node:assert/strict';
import { useService } from '../support/service.ts';

describe('A refusal', () => {
  const dms = useService({ withWorker: false });

  const says = ({ status, body }: { status: number; body: { message?: string } }, message: RegExp) => {
    assert.equal(status, 400);
    assert.match(body.message ?? '', message);
  };

  it('says that a query must be UTF-8, and takes a percent sign that encodes nothing', async () => {
    for (const text of ['%ff', '%ED%A0%80', '%C3'])
      says(await dms.api.get(`/assets?q=${text}`), /^The query must be text in UTF-8$/);
    for (const text of ['100%', '%zz', '%EF%BF%BD', '%C3%A9'])
      assert.equal((await dms.api.get(`/assets?q=${text}`)).status, 200, text);
  });

  it('says that a query parameter must be given once', async () => {
    says(await dms.api.get('/assets?limit=1&limit=2'), /^limit must be given once$/);
    says(await dms.api.get('/webhooks?status=active&status=active'), /^status must be given once$/);
    says(await dms.api.get('/assets?unknown=1&unknown=2'), /^unknown is not allowed$/);
  });

  it('says that an id is required', async () => {
    const id = /^groupId must be an id, such as [0-9a-f-]{36}$/;
    says(await dms.api.post('/assets', { serialNumber: 'A-1', groupId: 'fridges' }), id);
    says(await dms.api.get('/assets?groupId=fridges'), id);
  });

  it('says that a field has no name', async () => {
    says(
      await dms.api.post('/groups', { name: 'Fridges', '': 1 }),
      /^a field without a name is not allowed$/,
    );
    says(await dms.api.get('/fleet?=1'), /^a parameter without a name is not allowed$/);
  });
});
