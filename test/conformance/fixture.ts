import { FRONT_DOORS, isFrontDoor } from './front-doors.ts';
import { startFixture } from './server.ts';
import { dynamoDbStores, memoryStores } from './stores.ts';

/** Where the conformance vectors expect the fixture unless told otherwise. */
const PORT_DEFAULT = 3100;

const { PORT = String(PORT_DEFAULT), EVENT_FORMAT = 'v2', FIXTURE_STORE = 'memory', RETENTION_SECONDS } = process.env;

if (!isFrontDoor(EVENT_FORMAT))
  throw new Error(`EVENT_FORMAT is one of ${Object.keys(FRONT_DOORS).join(', ')}, not ${EVENT_FORMAT}.`);
if (FIXTURE_STORE !== 'memory' && FIXTURE_STORE !== 'dynamodb')
  throw new Error(`FIXTURE_STORE is memory or dynamodb, not ${FIXTURE_STORE}.`);

const { url, stop } = await startFixture({
  port: Number(PORT),
  format: EVENT_FORMAT,
  stores: FIXTURE_STORE === 'memory' ? memoryStores : await dynamoDbStores(),
  ...(RETENTION_SECONDS !== undefined && { retentionMs: Number(RETENTION_SECONDS) * 1000 }),
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().then(() => process.exit(0)));
process.stdout.write(`Ready ${url}\n`);
