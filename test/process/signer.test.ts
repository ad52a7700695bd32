/** Signatures of texts that come back: cookies, sign-in attempts, links. */
import assert from 'node:assert/strict';
import { createSigner } from '../../src/process/signer.ts';

const key = (byte: number) => Buffer.alloc(32, byte);

describe('A signer', () => {
  const signer = createSigner({ 1: key(1) }, 'alert link');
  const proof = signer.sign('text');

  it('accepts its own signature of the same text only', () => {
    assert.equal(proof.length, 43);
    assert.equal(signer.isSigned('text', proof), true);
    for (const [text, given] of [
      ['Text', proof],
      ['text', ''],
      ['text', proof.slice(1)],
      ['text', signer.sign('another text')],
    ] as const)
      assert.equal(signer.isSigned(text, given), false);
  });

  it('accepts signatures of an older key while that key is there', () => {
    const both = createSigner({ 1: key(1), 2: key(2) }, 'alert link');
    assert.equal(both.isSigned('text', proof), true);
    assert.notEqual(both.sign('text'), proof);
    assert.equal(createSigner({ 2: key(2) }, 'alert link').isSigned('text', proof), false);
  });

  it('accepts no signature that was made for another purpose', () => {
    assert.equal(createSigner({ 1: key(1) }, 'operator session').isSigned('text', proof), false);
  });
});
