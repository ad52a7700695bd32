/**
 * Downloads the CLI from Temporal's release. An archive is unpacked only after its checksum was compared with
 * the pinned one, because anybody in control of the download could otherwise run programs on this machine.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Env } from './find-program.ts';
import { archiveSums, pinned } from './temporal-cli-version.ts';

const official = 'https://github.com/temporalio/cli/releases/download';
const platforms: Record<string, string> = { linux: 'linux', darwin: 'darwin' };
const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/** Without a network, the search for a CLI continues soon. */
const answerMs = 5_000;
const totalMs = 300_000;
const progressMs = 5_000;

export interface DownloadOptions {
  env: Env;
  print: (line: string) => void;
  /** Default: Temporal's own releases. */
  downloadFrom?: string;
  /** sha256 by platform. Default: the pinned ones. */
  sums?: Readonly<Record<string, string>>;
}

/** Writes the CLI to the target path, and its archive beside it. */
export async function downloadTemporalCli(target: string, options: DownloadOptions): Promise<void> {
  const { env, print, downloadFrom = official, sums = archiveSums } = options;
  try {
    const platform = thisPlatform();
    const url = `${downloadFrom}/v${pinned.cli}/temporal_cli_${pinned.cli}_${platform}.tar.gz`;
    print(`Temporal CLI: downloading ${url}`);
    const archive = `${target}.tar.gz`;
    await fetchTo(archive, url, print);
    await verify(archive, sums[platform]);
    await promisify(execFile)('tar', ['-xzf', archive, '-C', dirname(target), 'temporal'], {
      env: { PATH: env.PATH },
    });
  } catch (cause) {
    throw new Error(`the download failed: ${reasonOf(cause)}`, { cause });
  }
}

function thisPlatform(): string {
  const platform = platforms[process.platform];
  const arch = architectures[process.arch];
  if (!platform || !arch) throw new Error(`there is none for ${process.platform} on ${process.arch}`);
  return `${platform}_${arch}`;
}

async function verify(path: string, pinnedSum: string | undefined): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const sum = hash.digest('hex');
  if (sum !== pinnedSum) throw new Error(`its sha256 is ${sum} and not the pinned ${pinnedSum}`);
}

async function fetchTo(path: string, url: string, print: DownloadOptions['print']): Promise<void> {
  const total = AbortSignal.timeout(totalMs);
  const response = await answerTo(url, total);
  if (!response.ok || !response.body) throw new Error(`it answered ${response.status}`);
  if (url.startsWith('https:') && !response.url.startsWith('https:'))
    throw new Error('it led away from https');
  const file = createWriteStream(path);
  const megabytes = () => Math.round(file.bytesWritten / 1e6);
  const progress = setInterval(
    () => print(`Temporal CLI: downloading, ${megabytes()} MB so far`),
    progressMs,
  );
  try {
    await pipeline(Readable.fromWeb(response.body), file, { signal: total });
  } finally {
    clearInterval(progress);
  }
}

async function answerTo(url: string, total: AbortSignal): Promise<Response> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error(`no answer within ${answerMs / 1000} s`)), answerMs);
  try {
    return await fetch(url, { signal: AbortSignal.any([total, timeout.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** The message of fetch is just `fetch failed`; its cause has the reason. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
