/** Calls to the Temporal dev server while it starts. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';

const namespace = 'default';
/** The server is on this machine, so a proxy in the environment does not apply. */
const noProxy = { 'grpc.enable_http_proxy': 0 };
const healthy = 1; // SERVING in grpc.health.v1

export async function serves(address: string): Promise<boolean> {
  // TCP first: after a refused connection the gRPC client waits a second.
  return (await listens(address)) && (await isHealthy(address).catch(() => false));
}

async function listens(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function isHealthy(address: string): Promise<boolean> {
  return withConnection(address, async (connection) => {
    const isServing = await reportsHealth(connection);
    await connection.workflowService.describeNamespace({ namespace });
    return isServing;
  });
}

/** Checks a server that may have no namespace yet. */
export async function answersHealthy(address: string): Promise<boolean> {
  return (await listens(address)) && (await withConnection(address, reportsHealth).catch(() => false));
}

async function reportsHealth({ healthService }: Connection): Promise<boolean> {
  const { status } = await healthService.check({
    service: 'temporal.api.workflowservice.v1.WorkflowService',
  });
  return status === healthy;
}

/** The server creates the search attributes of its flags only in a new file: others are added here. */
export async function addMissingSearchAttributes(
  wanted: Record<string, string>,
  { cli, address }: { cli: string; address: string },
) {
  const { customAttributes } = await withConnection(address, ({ operatorService }) =>
    operatorService.listSearchAttributes({ namespace }),
  );
  for (const [name, type] of Object.entries(wanted)) {
    if (name in customAttributes) continue;
    const attribute = ['--address', address, '--name', name, '--type', type];
    await promisify(execFile)(cli, ['operator', 'search-attribute', 'create', ...attribute], { env: {} });
  }
}

async function withConnection<T>(address: string, use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: '5s', channelArgs: noProxy });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
