import { startFixture } from './server.ts';

/** Where the conformance vectors expect the fixture unless told otherwise. */
const PORT_DEFAULT = 3100;

const retention = process.env['RETENTION_SECONDS'];
const { url } = await startFixture({
  port: Number(process.env['PORT'] ?? PORT_DEFAULT),
  ...(retention !== undefined && { retentionMs: Number(retention) * 1000 }),
});
process.stdout.write(`Ready ${url}\n`);
