/** The operators' page can what the API can: each operation of customers is called by a page, or is named with the reason. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { FormLayout } from '../../src/operator/form-layout.ts';
import { FORMS, type FormName, operationOf } from '../../src/operator/forms.ts';
import { listFiles } from './sources.ts';

const NOT_ON_THE_PAGE: Record<string, string> = {
  getFleet: 'the page counts by the same statement, with each device once, and those of a group',
};

/** A page of webhooks names operations by the noun of its collection. */
const NOUNS = ['Webhook', 'CellularWebhook'];

interface Described {
  operationId: string;
  security?: Array<Record<string, unknown>>;
}

describe("The operators' page", () => {
  const paths: Array<Record<string, Described>> = Object.values(
    JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')).paths,
  );
  const operations = paths
    .flatMap((path) => Object.values(path))
    .filter(({ security }) => security?.some((each) => 'customerKey' in each))
    .map(({ operationId }) => operationId);
  const names = Object.keys(FORMS) as FormName[];
  const texts = listFiles('src/operator')
    .filter((path) => /(?:\.routes|\.service|\/choices)\.ts$/.test(path))
    .map((path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
    .map((text) => NOUNS.map((noun) => text.replace(/\$\{(?:noun|toNoun\(params\))\}/g, noun)).join('\n'));
  const called = new Set([
    ...names.map(operationOf),
    ...Object.values<FormLayout>(FORMS).flatMap(({ changes }) => changes?.operation ?? []),
    ...operations.filter((id) => texts.some((text) => new RegExp(`['\`]${id}['\`]`).test(text))),
  ]);

  it('calls every operation of customers, but those that are listed with a reason', () => {
    const lost = operations.filter((id) => !called.has(id));
    assert.deepEqual(lost.sort(), Object.keys(NOT_ON_THE_PAGE).sort());
  });

  it('names operations that exist', () => {
    const unknown = names.map(operationOf).filter((id) => !operations.includes(id));
    assert.deepEqual(unknown, []);
  });
});
