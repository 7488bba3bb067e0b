import type { HttpRequest } from './message.ts';
import type { PrincipalReader } from './principal.ts';
import type { ResultFormat } from './result.ts';

export interface ReadOptions {
  readonly principal: PrincipalReader;
  /** The custom domain's base path, where the path itself is the identity; without slashes. */
  readonly basePath?: string | undefined;
}

/** One kind of front door: how its events are read and its results written. */
export interface Format<E> extends ResultFormat {
  readonly name: 'v1' | 'v2' | 'alb' | 'alb-multi';
  read(event: E, options: ReadOptions): HttpRequest;
  /** What the front door calls this request, for tracing it. */
  requestId(event: E): string;
}

/** The body's bytes, decoded once. */
export const bodyOf = (event: { readonly body?: string | null; readonly isBase64Encoded?: boolean }): Uint8Array =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');

/** Whatever a path holds, its URI reference is one; what is percent-encoded already stays so. */
export const instanceOf = (path: string, requestId: string): string =>
  `${encodeURI(path.toWellFormed()).replaceAll(/%25(?=[\dA-Fa-f]{2})/g, '%')}#${encodeURIComponent(requestId)}`;
