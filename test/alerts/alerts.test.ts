/** Alerts over the API. */
import assert from 'node:assert/strict';
import { FRIDGE } from '../support/fleet.ts';
import { type AlertItem, useDevice } from './harness.ts';

describe('The API of alerts', () => {
  const device = useDevice();
  const { acknowledge, at, confirmProfile, list, measure, newDevice, onlyAlert, statuses } = device;

  describe('for one alert', () => {
    beforeEach(async () => {
      await confirmProfile(FRIDGE);
      await measure(0, 20);
    });

    it('acknowledges an alert, even twice, and resolves it afterwards', async () => {
      const { id } = await onlyAlert();
      for (let round = 0; round < 2; round++) {
        const { status, body } = await acknowledge(id);
        assert.deepEqual([status, body.status], [200, 'acknowledged']);
      }
      await measure(1, 21);
      assert.deepEqual(await statuses(), ['high_temp acknowledged']);
      await measure(2, 5);
      assert.deepEqual(await statuses(), ['high_temp resolved']);
    });

    it('refuses to acknowledge a resolved alert with 409', async () => {
      await measure(1, 5);
      const { id } = await onlyAlert();
      assert.equal((await acknowledge(id)).status, 409);
      assert.deepEqual(await statuses(), ['high_temp resolved']);
    });

    it('refuses statuses other than acknowledged, and other fields', async () => {
      const { id } = await onlyAlert();
      for (const body of [
        { status: 'resolved' },
        { status: 'new' },
        {},
        { status: 'acknowledged', note: 'x' },
      ])
        assert.equal((await device.org.api.patch(`/alerts/${id}`, body)).status, 400, JSON.stringify(body));
    });
  });

  describe('for lists', () => {
    beforeEach(async () => {
      await confirmProfile(FRIDGE);
      await measure(0, 20, 5, 20, 1, 20);
    });

    it('lists alerts newest first, with the total on each page', async () => {
      const pages: AlertItem[][] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await list(`&limit=3${cursor && `&cursor=${cursor}`}`);
        assert.equal(page.totalItems, 4);
        pages.push(page.items);
        cursor = page.nextCursor;
      }
      assert.deepEqual(
        pages.map((page) => page.map(({ timestamp }) => timestamp)),
        [[at(4), at(3), at(2)], [at(0)]],
      );
    });

    it('filters alerts by status', async () => {
      const [last] = (await list('&status=new')).items;
      assert.equal((await list('&status=new')).totalItems, 1);
      assert.equal((await list('&status=resolved')).totalItems, 3);
      assert.equal((await list('&status=acknowledged')).totalItems, 0);
      await acknowledge((last as AlertItem).id);
      assert.equal((await list('&status=acknowledged')).totalItems, 1);
    });

    it('filters alerts by asset', async () => {
      await newDevice();
      await confirmProfile(FRIDGE);
      await measure(0, 20);
      assert.equal((await list()).totalItems, 1);
      assert.equal((await device.org.api.get('/alerts')).body.totalItems, 5);
    });

    it('refuses an invalid query of alerts with 400', async () => {
      for (const query of [
        'status=open',
        'assetId=nonsense',
        'limit=0',
        'limit=501',
        'cursor=x',
        'type=fire',
      ])
        assert.equal((await device.org.api.get(`/alerts?${query}`)).status, 400, query);
    });
  });
});
