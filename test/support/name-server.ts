/** A name server on UDP, whose names answer, answer late, or never answer (RFC 1035, section 4). */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** `address:port`. */
  address: string;
  /** Requested names, once for each question for an IPv4 address. */
  questions: string[];
  stop(): void;
}

export interface Answer {
  /** Absent: the name does not exist. */
  address?: string;
  ttlSeconds?: number;
  afterMs?: number;
}

export const TYPE_A = 1;
const NO_SUCH_NAME = 3;

/** `answerTo` returns null for questions that never get an answer. */
export async function startNameServer(
  answerTo: (name: string, type: number) => Answer | Promise<Answer> | null,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  let isOpen = true;
  socket.on('message', async (message, from: RemoteInfo) => {
    const { name, type, end } = parseQuestion(message);
    if (type === TYPE_A) questions.push(name);
    const answer = await answerTo(name, type);
    if (answer === null) return;
    const packet = toPacket(message.subarray(0, end), type, answer);
    const send = () => isOpen && socket.send(packet, from.port, from.address, () => {});
    setTimeout(send, answer.afterMs ?? 0);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    stop() {
      isOpen = false;
      socket.close();
    },
  };
}

function parseQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The header and the question as received, then one address for a question of type A, or nothing. */
function toPacket(asked: Buffer, type: number, { address, ttlSeconds = 60 }: Answer): Buffer {
  const packet = Buffer.from(asked);
  const hasRecord = address !== undefined && type === TYPE_A;
  packet.writeUInt16BE(0x8180 | (address === undefined ? NO_SUCH_NAME : 0), 2);
  for (const [offset, count] of [1, hasRecord ? 1 : 0, 0, 0].entries())
    packet.writeUInt16BE(count, 4 + offset * 2);
  if (!hasRecord) return packet;
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(ttlSeconds, 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split('.').map(Number), 12);
  return Buffer.concat([packet, record]);
}
