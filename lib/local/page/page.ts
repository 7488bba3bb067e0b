import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TableClientOptions } from '../create-tables.ts';
import { gatewayReply, jsonReply, send } from '../gateway/http-reply.ts';
import type { ServiceModel } from '../template/service-model.ts';
import { reconcileSchedule } from '../with-settings.ts';
import { createAssets } from './assets.ts';
import { createClaims } from './claims.ts';
import { Feed } from './feed.ts';
import { Trips } from './trips.ts';
import { createTunnel } from './tunnel.ts';
import type { LedgerRow, Timing } from './wire.ts';

/** What a screen can show. */
const LEDGER_ROWS_MAX = 500;

const TUNNEL = '/local/tunnel';

export interface PageOptions extends Pick<TableClientOptions, 'region' | 'credentials'> {
  readonly service: ServiceModel;
  /** Of this very run: the tunnel leads there. */
  readonly url: string;
  readonly providerUrl: string;
  readonly dynamodbUrl: string;
}

export interface Page {
  /** Serves what is the page's, and leaves the rest to `next`. */
  before(next: RequestListener): RequestListener;
  close(): void;
}

/** The page at `/`, what it reads (`/local/claims`, `/local/watch`) and the connection that it spoils (`/local/tunnel`). */
export function createPage({ service, url, providerUrl, dynamodbUrl, ...access }: PageOptions): Page {
  const claims = createClaims(service.tables, { ...access, url: dynamodbUrl });
  const trips = new Trips((trip) => feed.tell('trip', trip));
  const feed = new Feed({
    welcome: () => ({ timing: timingOf(service), trips: trips.all }),
    sources: { claims: claims.read, ledger: () => readLedger(providerUrl) },
  });
  const tunnel = createTunnel(url, trips);
  const assets = createAssets();

  const serve = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    if (path.startsWith(`${TUNNEL}/`)) return tunnel(request, response, path.slice(TUNNEL.length));
    if (request.method !== 'GET') return send(response, gatewayReply(405, 'Method Not Allowed', [['allow', 'GET']]));
    if (path === '/local/watch') return feed.watch(response);
    if (path === '/local/claims') return send(response, jsonReply(200, [...(await claims.read())]));
    send(response, (await assets(request, path)) ?? gatewayReply(404, 'Not Found'));
  };
  return {
    before: (next) => (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (!isOurs(path)) return next(request, response);
      serve(request, response, path).catch((error: unknown) => {
        if (!request.destroyed) console.error(error);
        if (response.headersSent) response.destroy();
        else send(response, gatewayReply(500, 'Internal Server Error'));
      });
    },
    close: () => {
      feed.close();
      claims.close();
    },
  };
}

const isOurs = (path: string): boolean =>
  ['/', '/local/claims', '/local/watch'].includes(path) ||
  path.startsWith('/local/page/') ||
  path.startsWith(`${TUNNEL}/`);

async function readLedger(providerUrl: string): Promise<readonly LedgerRow[]> {
  const answer = await fetch(`${providerUrl}/local/ledger`);
  const rows = (await answer.json()) as readonly LedgerRow[]; // The simulator's own rows have these members and more.
  return rows
    .slice(-LEDGER_ROWS_MAX)
    .map(({ amount, currency, orderId, operation, at }) => ({ amount, currency, orderId, operation, at }));
}

function timingOf(service: ServiceModel): Timing {
  const payments = service.routes.find(({ routeKey }) => routeKey === 'POST /payments');
  const fn = service.functions.find(({ id }) => id === payments?.functionId);
  return { functionTimeoutMs: fn?.timeoutMs ?? 0, reconcileEveryMs: reconcileSchedule(service)?.everyMs ?? null };
}
