import { type Direct, type Finish, startDirect } from './direct.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export const SECRET = 'whsec_test';

/** A simulator and the endpoint for its webhooks. */
export const start = async (finish: Finish, dataDir?: string): Promise<{ provider: Direct; receiver: Receiver }> => {
  const receiver = await startReceiver(finish);
  return { receiver, provider: await startDirect(dataDir, { url: receiver.url, secret: SECRET }, finish) };
};

/** How far each event got. */
export const deliveries = async (provider: Direct) => (await provider.events()).map(({ delivery }) => delivery);
