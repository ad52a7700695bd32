/** Encryption of secrets at rest. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createSecretBox } from '../../src/endpoints/secret-box.ts';

const owner = { organizationId: 'organization', rowId: 'webhook' };
const first = randomBytes(32);
const second = randomBytes(32);
const box = createSecretBox({ 1: first });
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('A sealed secret', () => {
  it('opens a sealed secret as the same text, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (secret) => {
        assert.equal(box.open(box.seal(secret, owner), owner), secret);
      }),
    );
  });

  it('seals the same secret differently each time, without any of its text', () => {
    const sealed = box.seal(SECRET, owner);
    assert.equal(sealed.includes(SECRET.slice(6, 14)), false);
    assert.notDeepEqual(box.seal(SECRET, owner), sealed);
  });

  it('opens a sealed secret for its own row only', () => {
    const sealed = box.seal(SECRET, owner);
    for (const other of [
      { ...owner, rowId: 'another' },
      { ...owner, organizationId: 'another' },
      { organizationId: owner.rowId, rowId: owner.organizationId },
    ]) {
      assert.throws(() => box.open(sealed, other));
    }
  });

  it('refuses a sealed secret with any bit changed', () => {
    const sealed = box.seal(SECRET, owner);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      assert.throws(() => box.open(changed, owner), `bit ${bit}`);
    }
  });

  it('refuses a sealed secret that was cut or extended', () => {
    const sealed = box.seal(SECRET, owner);
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => box.open(sealed.subarray(0, length), owner), `length ${length}`);
    }
    assert.throws(() => box.open(Buffer.concat([sealed, Buffer.from([0])]), owner));
  });

  it('refuses a sealed secret under another key with the same id', () => {
    const sealed = box.seal(SECRET, owner);
    assert.throws(() => createSecretBox({ 1: second }).open(sealed, owner));
  });
});

describe('The keys of the box', () => {
  it('seals with the key of the highest id, and opens with the older keys', () => {
    const both = createSecretBox({ 1: first, 2: second });
    assert.equal(both.open(box.seal(SECRET, owner), owner), SECRET);
    const sealed = both.seal(SECRET, owner);
    assert.equal(createSecretBox({ 2: second }).open(sealed, owner), SECRET);
    assert.throws(() => box.open(sealed, owner), /secrets key 2 is not among those configured/);
  });

  it('names the id of a missing key in the error, and never the key', () => {
    assert.throws(() => createSecretBox({ 7: second }).open(box.seal(SECRET, owner), owner), /secrets key 1/);
  });

  it('needs at least one key, of 32 bytes each', () => {
    assert.throws(() => createSecretBox({}), /at least one/);
    assert.throws(() => createSecretBox({ 3: randomBytes(16) }), /secrets key 3 must be 32 bytes/);
    assert.throws(() => createSecretBox({ 4294967296: first }), /at most 4294967295/);
    assert.equal(
      createSecretBox({ 20260301: first }).open(
        createSecretBox({ 20260301: first }).seal(SECRET, owner),
        owner,
      ),
      SECRET,
    );
  });
});
