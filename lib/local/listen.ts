import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LocalRunError } from './local-run-error.ts';

/** Listens on loopback only; 0 picks a free port. Gives the port. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE' || error.code === 'EACCES'
          ? new LocalRunError(
              'port-in-use',
              `PORT ${port} cannot be used (${error.code}). Choose another, or 0 for a free one.`,
            )
          : error,
      );
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
