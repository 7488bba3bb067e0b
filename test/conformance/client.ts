import http from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  readonly key?: string | readonly string[];
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Speaks plain HTTP, because `fetch` joins repeated field lines and refuses odd header values before they are sent. */
export const clientOf = (url: string) => {
  const base = new URL(url);
  return (path: string, { method = 'POST', key, body = 'x', headers = {} }: Sent = {}): Promise<Reply> => {
    const payload = Buffer.from(method === 'GET' ? '' : body);
    const keys = key === undefined ? [] : [key].flat().flatMap((value) => ['Idempotency-Key', value]);
    const lines = ['Host', base.host, 'Content-Length', String(payload.length), 'Content-Type', 'text/plain', ...keys];
    const named = Object.entries(headers).flat();
    const own = named.some((name) => name.toLowerCase() === 'content-type') ? lines.toSpliced(4, 2) : lines;
    return new Promise((resolve, reject) => {
      const options = { host: base.hostname, port: base.port, method, path, agent: false, setDefaultHeaders: false };
      const request = http.request({ ...options, headers: [...own, ...named] }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const whole = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole, text: whole.toString() });
        });
      });
      request.on('error', reject);
      request.end(payload);
    });
  };
};
