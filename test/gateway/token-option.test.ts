/** The number of the option that may carry the device token. */
import assert from 'node:assert/strict';
import { type OptionName, parse } from 'coap-packet';
import { readSettings } from '../../src/process/config.ts';
import { coapRequest } from '../support/coap-datagram.ts';

const OPTION_MAX = 64_999;
const required = {
  DATABASE_URL: 'postgres://nowhere',
  TEMPORAL_ADDRESS: 'nowhere:1',
  SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
};
const tokenOptionOf = (number: number) =>
  readSettings({ ...required, COAP_TOKEN_OPTION: String(number) }).coap.tokenOption;

/** Whether the library that reads datagrams gives the option a name, by which no token is found. */
function isNamed(number: number): boolean {
  const option = [number, Buffer.from('token')] as const;
  const request = coapRequest({
    path: 'm',
    payload: Buffer.alloc(0),
    type: 0,
    code: 2,
    id: 1,
    options: [option],
  });
  const names = parse(request).options.map(({ name }): OptionName | number => name);
  return !names.map(String).includes(String(number));
}

describe('COAP_TOKEN_OPTION', () => {
  it('refuses each number that CoAP gives another meaning, and takes others', () => {
    const named = Array.from({ length: OPTION_MAX }, (_, index) => index + 1).filter(isNamed);
    assert.ok(named.includes(11) && named.length > 20);
    for (const number of named) assert.throws(() => tokenOptionOf(number), /COAP_TOKEN_OPTION/);
    for (const number of [2, 2_051, OPTION_MAX]) assert.equal(tokenOptionOf(number), number);
  });
});
