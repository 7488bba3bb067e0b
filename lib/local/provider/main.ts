import { startProvider } from './server.ts';

/**
 * The provider as a process of its own: `PROVIDER_PORT` (0 picks a free one), `DATA_DIR` (optional),
 * `WEBHOOK_URL` and `WEBHOOK_SECRET` (without them nothing is delivered).
 * It ends with its parent: when stdin closes, or on a signal.
 */
const DEFAULT_PORT = 3001;

const { PROVIDER_PORT, DATA_DIR, WEBHOOK_URL, WEBHOOK_SECRET } = process.env;
const provider = await startProvider({
  port: Number(PROVIDER_PORT || DEFAULT_PORT),
  ...(DATA_DIR ? { dataDir: DATA_DIR } : {}),
  ...(WEBHOOK_URL && WEBHOOK_SECRET ? { webhook: { url: WEBHOOK_URL, secret: WEBHOOK_SECRET } } : {}),
});

let stopping = false;
const stop = async (): Promise<void> => {
  if (stopping) return;
  stopping = true;
  await provider.close();
  process.exit(0);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
process.stdin.once('end', () => void stop());
process.stdin.once('close', () => void stop());
process.stdin.resume();

console.log(`listening ${provider.url}`);
