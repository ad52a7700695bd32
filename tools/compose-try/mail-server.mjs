/** A mail server that takes every mail, and prints it. */
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

createServer((socket) => {
  let isMail = false;
  const say = (line) => socket.write(`${line}\r\n`);
  say('220 mail.example.com');
  socket.on('error', () => {});
  createInterface({ input: socket }).on('line', (line) => {
    if (isMail) {
      console.log(line);
      if (line !== '.') return;
      isMail = false;
      return say('250 taken');
    }
    const command = line.slice(0, 4).toUpperCase();
    if (command === 'QUIT') return socket.end('221 bye\r\n');
    isMail = command === 'DATA';
    say(isMail ? '354 go on' : '250 mail.example.com');
  });
}).listen(587, '0.0.0.0');
