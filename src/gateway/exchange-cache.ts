/**
 * What was answered to whom, so that the same request again gets the same bytes and is not handled twice (RFC 7252,
 * section 4.5). An exchange is known while it is under way, and then for its lifetime, or until so many later ones have
 * come that there is no room.
 *
 * At thousands of exchanges a second these are hundreds of thousands. As objects they would be most of what the garbage
 * collector has to look through, and loggers would wait for it; so they lie as bytes in blocks, which are forgotten as
 * a whole.
 */
export interface ExchangeCacheOptions {
  /** After this, the same key is a new exchange. */
  lifetimeMs: number;
  /** Taken at most, with some 40 bytes for an exchange beside its answer. */
  bytesMax: number;
  nowMs(): number;
}

export interface ExchangeCache {
  /** The answer that was given; empty while there is none, or none to give; null for a new exchange. Keys are ASCII. */
  find(key: string): Buffer | null;
  begin(key: string): void;
  /** With its answer, empty where none is given; null: the request may come again. */
  end(key: string, answer: Buffer | null): void;
}

const BLOCKS = 16;
const NOTHING = Buffer.alloc(0);

export function createExchangeCache({ lifetimeMs, bytesMax, nowMs }: ExchangeCacheOptions): ExchangeCache {
  const blockBytes = Math.floor(bytesMax / BLOCKS);
  const underWay = new Set<string>();
  /** The newest first. */
  const blocks: Block[] = [];

  function blockFor(size: number): Block {
    const [newest] = blocks;
    if (newest && newest.used + size <= blockBytes) return newest;
    const oldest = blocks.length === BLOCKS ? blocks.pop() : undefined;
    const next = emptied(oldest ?? { bytes: Buffer.allocUnsafeSlow(blockBytes), used: 0, latest: new Map() });
    blocks.unshift(next);
    return next;
  }

  return {
    find(key) {
      if (underWay.has(key)) return NOTHING;
      const hash = hashOf(key);
      for (const block of blocks) {
        const record = recordIn(block, key, hash);
        if (record) return record.atMs > nowMs() - lifetimeMs ? record.answer : null;
      }
      return null;
    },
    begin: (key) => void underWay.add(key),
    end(key, answer) {
      underWay.delete(key);
      const size = HEAD_BYTES + key.length + (answer?.length ?? 0);
      if (answer && size <= blockBytes) write(blockFor(size), key, { atMs: nowMs(), answer });
    },
  };
}

interface Block {
  bytes: Buffer;
  used: number;
  /** Where the latest record of a hash is: small integers only, which are no objects. */
  latest: Map<number, number>;
}

interface Record {
  atMs: number;
  answer: Buffer;
}

/** A record begins with these, then come the key and the answer. */
const EARLIER = 0; // where the one of the same hash before it is, uint32
const AT = 4; // double
const KEY_LENGTH = 12; // uint16
const ANSWER_LENGTH = 14; // uint16
const HEAD_BYTES = 16;
const NONE = 0xffff_ffff;

function emptied(block: Block): Block {
  block.used = 0;
  block.latest.clear();
  return block;
}

function write(block: Block, key: string, { atMs, answer }: Record): void {
  const { bytes, used, latest } = block;
  const hash = hashOf(key);
  bytes.writeUInt32LE(latest.get(hash) ?? NONE, used + EARLIER);
  bytes.writeDoubleLE(atMs, used + AT);
  bytes.writeUInt16LE(key.length, used + KEY_LENGTH);
  bytes.writeUInt16LE(answer.length, used + ANSWER_LENGTH);
  bytes.write(key, used + HEAD_BYTES, 'latin1');
  answer.copy(bytes, used + HEAD_BYTES + key.length);
  latest.set(hash, used);
  block.used += HEAD_BYTES + key.length + answer.length;
}

/** The latest of the key. The answer is a copy: its block may be written anew before it is sent. */
function recordIn({ bytes, latest }: Block, key: string, hash: number): Record | null {
  for (let at = latest.get(hash) ?? NONE; at !== NONE; at = bytes.readUInt32LE(at + EARLIER)) {
    const keyEnd = at + HEAD_BYTES + bytes.readUInt16LE(at + KEY_LENGTH);
    if (bytes.toString('latin1', at + HEAD_BYTES, keyEnd) !== key) continue;
    const answerEnd = keyEnd + bytes.readUInt16LE(at + ANSWER_LENGTH);
    return { atMs: bytes.readDoubleLE(at + AT), answer: Buffer.from(bytes.subarray(keyEnd, answerEnd)) };
  }
  return null;
}

/** FNV-1a, cut to what is a small integer everywhere. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return hash & 0x3fff_ffff;
}
