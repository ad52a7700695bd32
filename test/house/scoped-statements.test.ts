/**
 * The rule by which test/support/service.ts checks statements of the query builder, whenever a test stops its
 * service.
 */
import assert from 'node:assert/strict';
import knex from 'knex';
import { acrossOrganizations } from '../../src/db/builder.ts';
import { isScoped } from '../support/scoped-statements.ts';

describe('The organization in statements of the query builder', () => {
  const sql = knex({ client: 'pg' });
  const isAccepted = (statement: { toSQL(): { toNative(): { sql: string } } }) =>
    isScoped(statement.toSQL().toNative().sql);
  const own = { organization_id: 'an id' };
  const joined = () => sql('alerts as l').join('assets as a', 'a.id', 'l.asset_id');

  it('requires the organization in every statement about a tenant table', () => {
    assert.ok(isAccepted(sql('profiles').where({ ...own, slug: 'fridge' })));
    assert.ok(!isAccepted(sql('profiles').where({ slug: 'fridge' })));
    assert.ok(isAccepted(sql('profiles').where(own).update({ name: 'Fridge' })));
    assert.ok(!isAccepted(sql('profiles').update({ name: 'Fridge' })));
    assert.ok(!isAccepted(sql('profiles').delete()));
    assert.ok(isAccepted(sql('profiles').insert({ ...own, slug: 'fridge' })));
    assert.ok(!isAccepted(sql('profiles').insert({ slug: 'fridge' })));
  });

  it('requires the organization for joined tables as well', () => {
    assert.ok(!isAccepted(joined().where({ 'l.organization_id': 'an id' })));
    assert.ok(isAccepted(joined().where({ 'l.organization_id': 'an id', 'a.organization_id': 'an id' })));
  });

  it('requires no organization where a statement is marked as one about all', () => {
    assert.ok(isAccepted(acrossOrganizations(sql('alerts')).where({ status: 'new' })));
  });

  it('requires no organization for tables of all organizations', () => {
    assert.ok(isAccepted(sql('organizations').where({ name: 'Acme' })));
    assert.ok(isAccepted(sql('api_keys').where({ id: 'an id' })));
  });
});
