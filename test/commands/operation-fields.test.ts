/** Arguments and options of commands, from the OpenAPI document. */
import assert from 'node:assert/strict';
import { readApiDocument } from '../../src/commands/api-document-file.ts';
import {
  type CommandField,
  fieldsOf,
  placeholderOf,
  positionalName,
  positionalsIn,
} from '../../src/commands/operation-fields.ts';
import { toValue, withField } from '../../src/commands/operation-values.ts';
import { operationsOf } from '../../src/http/api-document.ts';

const document = readApiDocument();
const operations = operationsOf(document);

const fieldsOfOperation = (id: string) => {
  const operation = operations.find((each) => each.id === id);
  assert.ok(operation, id);
  return fieldsOf(document, operation);
};
const positionals = (id: string) => positionalsIn(fieldsOfOperation(id)).map(positionalName);
const optionsOf = (id: string) => {
  const fields = fieldsOfOperation(id);
  const taken = positionalsIn(fields);
  return Object.fromEntries(
    fields.filter((field) => !taken.includes(field)).map((field) => [field.name, placeholderOf(field)]),
  );
};
const fieldNamed = (id: string, name: string) =>
  fieldsOfOperation(id).find((field) => field.name === name) as CommandField;

describe('Arguments of commands', () => {
  it('takes parameters of the path, then required fields, with a list last', () => {
    assert.deepEqual(positionals('muteAsset'), ['SERIAL', 'UNTIL', 'REASON']);
    assert.deepEqual(positionals('addGroupMembers'), ['GROUP', 'SERIAL…']);
    assert.deepEqual(positionals('getStatistics'), ['SERIAL', 'FROM', 'TO']);
    assert.deepEqual(positionals('createNotificationChannel'), ['email|slack|webhook', 'TARGET']);
  });

  it('makes options of all other fields, flattens objects, and leaves paging out', () => {
    assert.deepEqual(optionsOf('updateGroup'), {
      'dry-run': null,
      name: 'TEXT',
      'profile-slug': 'TEXT',
      'rollout-first-percent': 'N',
      'rollout-min-applied-percent': 'N',
      'rollout-abort-failed-percent': 'N',
      'deadline-minutes': 'N',
    });
    assert.deepEqual(optionsOf('listAlerts'), {
      status: 'new|acknowledged|resolved',
      type: 'high_temp|low_temp|no_data|low_battery|sensor_error',
      severity: 'warning|critical',
      late: 'true|false',
      asset: 'TEXT',
      group: 'TEXT',
    });
  });

  it('asks for secrets, takes deep values as JSON, and clears a nullable object', () => {
    assert.equal(fieldNamed('createWebhook', 'secret').kind, 'secret');
    assert.equal(placeholderOf(fieldNamed('createEscalation', 'steps')), 'JSON');
    assert.equal(placeholderOf(fieldNamed('updateNotificationChannel', 'quiet-hours')), 'null');
    assert.equal(placeholderOf(fieldNamed('updateNotificationChannel', 'quiet-hours-from')), 'TEXT');
  });
});

describe('Values of arguments', () => {
  const now = new Date('2026-03-02T08:00:00Z');
  const value = (id: string, name: string, typed: string, isPast = false) =>
    toValue(fieldNamed(id, name), typed, { now, isPast });

  it('reads durations from now on or back from now, and passes other times on', () => {
    assert.equal(value('muteAsset', 'until', '2h'), '2026-03-02T10:00:00.000Z');
    assert.equal(value('listAudit', 'from', '1d', true), '2026-03-01T08:00:00.000Z');
    assert.equal(value('listAudit', 'to', 'now', true), '2026-03-02T08:00:00.000Z');
    assert.equal(value('listAudit', 'to', 'soon', true), 'soon');
  });

  it('reads numbers, lists, JSON and null, and leaves the judgement of the rest to the service', () => {
    assert.equal(value('applyProfile', 'deadline-minutes', '60'), 60);
    assert.equal(value('applyProfile', 'deadline-minutes', 'soon'), 'soon');
    assert.equal(value('applyProfile', 'apply-to-all', 'true'), true);
    assert.deepEqual(value('applyProfile', 'serial-numbers', 'A,B,'), ['A', 'B']);
    assert.equal(value('changeAsset', 'floor', 'null'), null);
    assert.equal(value('changeAsset', 'name', 'null'), 'null');
    assert.throws(() => value('createEscalation', 'steps', '{'), /^Error: --steps must be JSON$/);
  });

  it('sets a field within an object that the body already has', () => {
    const body = { rollout: { firstPercent: 5, minAppliedPercent: 90 } };
    assert.deepEqual(withField(body, ['rollout', 'firstPercent'], 10), {
      rollout: { firstPercent: 10, minAppliedPercent: 90 },
    });
    assert.deepEqual(withField({ rollout: null }, ['rollout', 'firstPercent'], 10), {
      rollout: { firstPercent: 10 },
    });
  });
});
