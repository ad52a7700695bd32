/** The pinned version of Temporal, and the version of a CLI on this machine. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The same as in tools/temporal/go.mod; a test compares them. */
export const pinned = { cli: '1.9.1', server: '1.32.0' } as const;

/** sha256 of the archives of that version, as checksums.txt of its release states them. */
export const archiveSums: Readonly<Record<string, string>> = {
  darwin_amd64: '48cdd6c84c56e27ae8e4d9a47052b89289a9c552dee029b49dd312c6fb72873f',
  darwin_arm64: '41e0425378fcb4fb5766340b97435e20fe47bbff2d7bf644ec2d51f7662b7c56',
  linux_amd64: '09a0326a51db84d02735e53542b9ebd8c4758daf47482a9ab0abce15844e60d5',
  linux_arm64: '6c57c352d52fc3df34412376fd9ba6f74b7e3ace8e426e6cba8600156d36a145',
};

export interface CliVersion {
  cli: string;
  /** Version of the server in it. */
  server: string;
}

const run = promisify(execFile);
const timeoutMs = 15_000;

/** @throws when the program does not run or is not the Temporal CLI. */
export async function versionOf(path: string): Promise<CliVersion> {
  const { stdout } = await run(path, ['--version'], { timeout: timeoutMs, env: {} });
  const [, cli, server] = /^temporal version (\S+) \(server ([^\s,)]+)/i.exec(stdout) ?? [];
  if (!cli || !server) throw new Error(`it calls itself "${stdout.trim().slice(0, 80)}"`);
  return { cli, server };
}

/** A CLI built from source has no version of its own, so the version of its server is compared. */
export function isNewEnough({ cli, server }: CliVersion): boolean {
  return cli.startsWith('0.0.0') ? isAtLeast(server, pinned.server) : isAtLeast(cli, pinned.cli);
}

export const describeVersion = ({ cli, server }: CliVersion) => `version ${cli} with server ${server}`;

export function isAtLeast(version: string, least: string): boolean {
  const [a, b] = [version, least].map((text) => text.split(/[.-]/, 3).map(Number));
  for (const [i, wanted] of (b ?? []).entries()) {
    const part = a?.[i] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
