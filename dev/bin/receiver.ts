/** `npm run receiver -- …`: prints webhooks as they arrive. */
import { parseArgs } from 'node:util';
import { runMain } from '../../src/process/run-main.ts';
import { stopOnSignal } from '../../src/process/shutdown.ts';
import { eventLine, startWebhookReceiver } from '../receiver/webhook-receiver.ts';

const USAGE = `npm run receiver -- [--port 9000] [--secret whsec_…] [--fail N]

  --port N      listens on 127.0.0.1:N (9000)
  --secret S    verifies signatures with it, and answers 401 to wrong ones
  --fail N      answers 503 to the first N requests (0)
`;
const STOP_MS = 3_000;

const OPTIONS = {
  port: { type: 'string', default: '9000' },
  secret: { type: 'string' },
  fail: { type: 'string', default: '0' },
  help: { type: 'boolean', short: 'h' },
} as const;

await runMain(async () => {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const { port, secret, fail, help } = parseArgs({ options: OPTIONS }).values;
  if (help) return print(USAGE);
  const [portNumber, failFirst] = [Number(port), Number(fail)];
  if (!(Number.isInteger(portNumber) && portNumber >= 0 && portNumber <= 65_535 && failFirst >= 0)) {
    throw new Error(`--port must be a port, and --fail a number from 0\n\n${USAGE}`);
  }
  const receiver = await startWebhookReceiver({
    port: portNumber,
    secret: secret ?? null,
    failFirst,
    onRequest: (event) => print(eventLine(event)),
  });
  stopOnSignal({ stop: receiver.stop, print, deadlineMs: STOP_MS });
  print(`Waiting for webhooks at ${receiver.url}; Ctrl-C ends.`);
}, '--port');
