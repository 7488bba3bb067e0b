import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** The functions whose execution environments the rig kills: those that move money, or what money entails. */
export const FUNCTIONS = ['create-payment', 'reconcile', 'payment-webhook', 'send-receipt'] as const;

export type FunctionId = (typeof FUNCTIONS)[number];

export interface FunctionProcess {
  readonly pid: number;
  readonly functionId: FunctionId;
}

/** The execution environments of this very process: nobody else's are ever touched. */
export function functionProcesses(): readonly FunctionProcess[] {
  return children().flatMap((pid) => {
    const name = variableOf(pid, 'AWS_LAMBDA_FUNCTION_NAME');
    const functionId = FUNCTIONS.find((id) => name?.includes(id.replaceAll('-', '')));
    return functionId === undefined ? [] : [{ pid, functionId }];
  });
}

/** The provider's simulator. */
export const providerProcess = (): number | undefined =>
  children().find((pid) => read(`/proc/${pid}/cmdline`).includes('provider/main.ts'));

/** The execution environment at the other end of a connection to `port` on this machine. */
export async function ownerOf(remotePort: number): Promise<FunctionProcess | undefined> {
  const inode = await inodeOf(remotePort);
  return inode === undefined ? undefined : functionProcesses().find(({ pid }) => holds(pid, `socket:[${inode}]`));
}

/** Sends a signal to a child of ours; false when it has ended. */
export function signal(pid: number, name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): boolean {
  if (!children().includes(pid)) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

const children = (): readonly number[] =>
  read(`/proc/${process.pid}/task/${process.pid}/children`).split(' ').filter(Boolean).map(Number);

const variableOf = (pid: number, name: string): string | undefined =>
  read(`/proc/${pid}/environ`)
    .split('\0')
    .find((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1);

let reading: Promise<string> | undefined;
let next: Promise<string> | undefined;

/** The kernel takes its time over this table, so all who ask while it is being read share the reading after that. */
function connections(): Promise<string> {
  if (reading !== undefined) {
    next ??= reading.then(() => {
      next = undefined;
      return connections();
    });
    return next;
  }
  reading = readFile('/proc/net/tcp', 'utf8').finally(() => {
    reading = undefined;
  });
  return reading;
}

/** Of the socket that is bound to the port of 127.0.0.1. */
async function inodeOf(localPort: number): Promise<string | undefined> {
  const table = await connections();
  const address = localPort.toString(16).toUpperCase().padStart(4, '0');
  const start = table.indexOf(`: 0100007F:${address} `);
  if (start < 0) return undefined;
  const [, , , , , , , , , inode] = table.slice(start, table.indexOf('\n', start)).split(/\s+/);
  return inode;
}

function holds(pid: number, socket: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === socket;
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}

/** Empty when the process has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
