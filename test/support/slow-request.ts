/** A request of a device whose headers arrive long before it is handled. */
import { once } from 'node:events';
import { connect } from 'node:net';

export interface SlowRequest {
  /** Sends the body. */
  finish(): void;
  /** Status of the answer. */
  status(): Promise<number>;
  /** Closes the connection without waiting for the answer. */
  abandon(): void;
}

export interface SlowRequestOptions {
  baseUrl: string;
  path: string;
  token: string;
  body: object;
}

/** Resolves when the server has read the headers; until `finish`, it waits for the body. */
export async function beginRequest({ baseUrl, path, token, body }: SlowRequestOptions): Promise<SlowRequest> {
  const { hostname, port } = new URL(baseUrl);
  const text = JSON.stringify(body);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setEncoding('latin1');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
  );
  await once(socket, 'data');
  return {
    finish: () => void socket.write(text),
    async status() {
      const [answer] = (await once(socket, 'data')) as [string];
      return Number(answer.split(' ')[1]);
    },
    abandon: () => void socket.destroy(),
  };
}
