/** Sends an empty confirmable message to a CoAP server of this machine, which answers with a reset (RFC 7252, section 4.3). */
import { createSocket } from 'node:dgram';

const port = Number(process.argv[2]);
const PING = Buffer.from([0x40, 0, 0x12, 0x34]);
const RESET = Buffer.from([0x70, 0, 0x12, 0x34]);
const socket = createSocket('udp4');
const repeat = setInterval(() => socket.send(PING, port, '127.0.0.1'), 500);
const giveUp = setTimeout(() => process.exit(1), 3_000);
socket.on('message', (answer) => {
  clearInterval(repeat);
  clearTimeout(giveUp);
  socket.close();
  process.exitCode = answer.equals(RESET) ? 0 : 1;
});
