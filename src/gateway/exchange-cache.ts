/**
 * The answers of recent exchanges, so that a duplicate request gets the same bytes and is not handled twice
 * (RFC 7252, section 4.5). An exchange is in the cache while it is in flight, and then for its lifetime, or
 * until later exchanges need its room.
 *
 * At thousands of exchanges a second the cache holds hundreds of thousands. As objects they would dominate
 * garbage collection, which would delay answers; so they are stored as bytes in blocks, and a block is
 * evicted as a whole.
 */
interface ExchangeCacheOptions {
  /** After this time, the same key is a new exchange. */
  lifetimeMs: number;
  /** Memory limit; an exchange takes about 60 bytes besides its answer. */
  bytesMax: number;
  nowMs(): number;
}

const BLOCKS = 16;
const NO_ANSWER = Buffer.alloc(0);

export function createExchangeCache({ lifetimeMs, bytesMax, nowMs }: ExchangeCacheOptions) {
  const blockBytes = Math.floor(bytesMax / BLOCKS);
  const inFlight = new Set<string>();
  /** Newest first. */
  const blocks: Block[] = [];

  function blockFor(size: number): Block {
    const [newest] = blocks;
    if (newest && newest.used + size <= blockBytes) return newest;
    const oldest = blocks.length === BLOCKS ? blocks.pop() : undefined;
    const next = cleared(oldest ?? { bytes: Buffer.allocUnsafeSlow(blockBytes), used: 0, latest: new Map() });
    blocks.unshift(next);
    return next;
  }

  return {
    /**
     * The answer; empty while the exchange is in flight or when it has no answer; null for a new exchange. Keys
     * are Latin-1.
     */
    find(key: string): Buffer | null {
      if (inFlight.has(key)) return NO_ANSWER;
      const hash = hashOf(key);
      for (const block of blocks) {
        const record = findRecord(block, key, hash);
        if (record) return record.atMs > nowMs() - lifetimeMs ? record.answer : null;
      }
      return null;
    },
    begin: (key: string) => void inFlight.add(key),
    /** Stores the answer, which may be empty; with null, the next request with the key is a new exchange. */
    end(key: string, answer: Buffer | null): void {
      inFlight.delete(key);
      const size = HEAD_BYTES + key.length + (answer?.length ?? 0);
      if (answer && size <= blockBytes) write(blockFor(size), key, { atMs: nowMs(), answer });
    },
  };
}

interface Block {
  bytes: Buffer;
  used: number;
  /** Offset of the latest record with a hash. V8 stores such small integers without allocating. */
  latest: Map<number, number>;
}

interface Record {
  atMs: number;
  answer: Buffer;
}

/** Offsets in the head of a record; the key and the answer follow it. */
const PREVIOUS = 0; // uint32, offset of the previous record with the same hash
const AT = 4; // double
const KEY_LENGTH = 12; // uint16
const ANSWER_LENGTH = 14; // uint16
const HEAD_BYTES = 16;
const NONE = 0xffff_ffff;

function cleared(block: Block): Block {
  block.used = 0;
  block.latest.clear();
  return block;
}

function write(block: Block, key: string, { atMs, answer }: Record): void {
  const { bytes, used, latest } = block;
  const hash = hashOf(key);
  bytes.writeUInt32LE(latest.get(hash) ?? NONE, used + PREVIOUS);
  bytes.writeDoubleLE(atMs, used + AT);
  bytes.writeUInt16LE(key.length, used + KEY_LENGTH);
  bytes.writeUInt16LE(answer.length, used + ANSWER_LENGTH);
  bytes.write(key, used + HEAD_BYTES, 'latin1');
  answer.copy(bytes, used + HEAD_BYTES + key.length);
  latest.set(hash, used);
  block.used += HEAD_BYTES + key.length + answer.length;
}

/** The latest record of the key. Its answer is a copy, because the block may be overwritten before it is sent. */
function findRecord({ bytes, latest }: Block, key: string, hash: number): Record | null {
  for (let at = latest.get(hash) ?? NONE; at !== NONE; at = bytes.readUInt32LE(at + PREVIOUS)) {
    const keyEnd = at + HEAD_BYTES + bytes.readUInt16LE(at + KEY_LENGTH);
    if (bytes.toString('latin1', at + HEAD_BYTES, keyEnd) !== key) continue;
    const answerEnd = keyEnd + bytes.readUInt16LE(at + ANSWER_LENGTH);
    return { atMs: bytes.readDoubleLE(at + AT), answer: Buffer.from(bytes.subarray(keyEnd, answerEnd)) };
  }
  return null;
}

/** FNV-1a, cut to 30 bits, which V8 stores without allocating. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return hash & 0x3fff_ffff;
}
