import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { epochMs } from '../../lib/idempotency/time.ts';
import { adapter, newCall, now, simulated } from './stripe-call.ts';
import { failure, intentOf, scripted } from './stripe-script.ts';

const tcpServer = async (onSocket: (socket: Socket) => void): Promise<{ url: string; connections(): number }> => {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => count };
};

const closedPort = async (): Promise<string> => {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
};

const stopwatch = () => {
  const start = performance.now();
  return () => performance.now() - start;
};

describe('a connection that never came about proves that nothing was sent', () => {
  it('when the port is closed', async () => {
    const stripe = adapter(`http://${await closedPort()}`);
    expect(await stripe.perform(newCall())).toEqual({ kind: 'not-executed', reason: 'ECONNREFUSED' });
    expect(await stripe.close(newCall())).toEqual({ kind: 'not-executed', reason: 'ECONNREFUSED' });
    expect(await stripe.lookup(newCall())).toEqual({ kind: 'unknown', reason: 'ECONNREFUSED' });
  });

  it('when the name does not exist', async () => {
    const stripe = adapter('http://nobody.invalid');
    expect(await stripe.perform(newCall())).toMatchObject({ kind: 'not-executed' });
  });

  it('when connecting takes too long', async () => {
    const elapsed = stopwatch();
    const { url } = await tcpServer(() => {}); // Takes the connection but never answers the handshake.
    const stripe = adapter(`https://${url}`);
    expect(await stripe.perform(newCall({}, { timeoutMs: 200 }))).toEqual({ kind: 'not-executed', reason: 'time-out' });
    expect(elapsed()).toBeLessThan(1_500);
  });

  it('when the handshake of TLS fails', async () => {
    const { url } = await tcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await adapter(`https://${url}`).perform(newCall())).toMatchObject({ kind: 'not-executed' });
  });

  it('when the secret fits into no header', async () => {
    const stripe = adapter('http://127.0.0.1:1', { secret: async () => 'sk_test\n' });
    expect(await stripe.perform(newCall())).toEqual({ kind: 'not-executed', reason: 'ERR_INVALID_CHAR' });
  });
});

describe('a connection that is lost once it was there proves nothing', () => {
  it.each([
    ['closed', (socket: Socket) => void socket.once('data', () => socket.destroy())],
    ['reset', (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy())],
    ['ended', (socket: Socket) => void socket.once('data', () => socket.end())],
    ['closed within the headers', (socket: Socket) => void socket.once('data', () => socket.end('HTTP/1.1 200 O'))],
    [
      'closed within the body',
      (socket: Socket) =>
        void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":"pi_1"')),
    ],
  ])('when it is %s, and the request is not sent a second time', async (_, onSocket) => {
    const { url, connections } = await tcpServer(onSocket);
    expect(await adapter(`http://${url}`).perform(newCall())).toMatchObject({ kind: 'unknown' });
    expect(connections()).toBe(1);
  });

  it('when nothing comes back in time', async () => {
    const elapsed = stopwatch();
    const { url } = await tcpServer(() => {});
    const stripe = adapter(`http://${url}`);
    expect(await stripe.perform(newCall({}, { timeoutMs: 150 }))).toMatchObject({ kind: 'unknown' });
    expect(elapsed()).toBeLessThan(1_000);
  });

  it('when the answer drips in without end, and the time-out holds all the same', async () => {
    const elapsed = stopwatch();
    const { url } = await tcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      const drip = setInterval(() => socket.write(' '), 50);
      socket.once('close', () => clearInterval(drip));
    });
    const stripe = adapter(`http://${url}`);
    expect(await stripe.perform(newCall({}, { timeoutMs: 300 }))).toMatchObject({ kind: 'unknown' });
    expect(elapsed()).toBeLessThan(1_500);
  });
});

describe('the time of a call', () => {
  it('is shared by everything in it', async () => {
    let ms = now();
    const call = newCall({}, { timeoutMs: 1_000, sentAt: now() });
    const { stripe, asked } = await scripted(
      [
        (response) => {
          ms = epochMs(ms + 2_000);
          const declined = intentOf(call, { status: 'requires_payment_method', last_payment_error: {} });
          failure(402, { type: 'card_error', payment_intent: declined })(response);
        },
      ],
      { now: () => ms },
    );
    expect(await stripe.perform(call)).toMatchObject({ kind: 'unknown', providerRef: 'pi_1' });
    expect(asked).toHaveLength(1);
  });

  it('ends before anything is sent when it is too short', async () => {
    const { stripe, asked } = await scripted([]);
    expect(await stripe.perform(newCall({}, { timeoutMs: 0.5 }))).toMatchObject({ kind: 'not-executed' });
    expect(await stripe.lookup(newCall({}, { timeoutMs: -5 }))).toMatchObject({ kind: 'unknown' });
    expect(asked).toEqual([]);
  });
});

it('a call through the simulator survives every fault without throwing', async () => {
  const { stripe, fault } = await simulated();
  for (const name of ['refuse', 'drop_before', 'drop_after', 'hang', 'slow', '500_before', '500_after', '429', 'lag']) {
    const call = newCall({}, { timeoutMs: 400 });
    await fault(name, name === 'slow' ? { ms: 100 } : {});
    const expected = { slow: 'outcome', '429': 'not-executed' }[name] ?? 'unknown';
    expect([name, (await stripe.perform(call)).kind]).toEqual([name, expected]);
  }
});
