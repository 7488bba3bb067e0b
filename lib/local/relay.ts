import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A port that can be taken out of reach and brought back, while what is behind it keeps all that it holds. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port: number;

  /**
   * @param targetPort is asked at each connection: what is behind may have moved.
   * @param port 0 picks a free one.
   */
  constructor(targetPort: () => number, port = 0) {
    this.#port = port;
    this.#server = createServer((caller) => {
      const target = connect(targetPort(), '127.0.0.1');
      this.#join(caller, target);
      this.#join(target, caller);
    });
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, on the same port each time. */
  async open(): Promise<void> {
    if (this.#server.listening) return;
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Refuses new connections and cuts the open ones, whatever is on its way over them. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
