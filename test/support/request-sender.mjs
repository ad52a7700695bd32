/** A process that sends a request on command: plain JavaScript, so that it starts at once. */
import { request } from 'node:http';

const TEXT_MAX = 500;

process.on('message', (message) => {
  if (message === 'send') void send(pending).then(process.send.bind(process));
  else {
    pending = message;
    process.send('ready');
  }
});

let pending;

function send({ url, method, headers, body }) {
  return new Promise((resolve) => {
    const fail = (error) => resolve({ status: 0, text: error.message });
    const length = body && { 'content-length': body.length };
    const sent = request(url, { method, headers: { ...length, ...headers } }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += text.length < TEXT_MAX ? chunk.toString('latin1', 0, TEXT_MAX) : '';
      });
      response.on('end', () => resolve({ status: response.statusCode, text })).on('error', fail);
    });
    sent.on('error', fail).end(body);
  });
}
