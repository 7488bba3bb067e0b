import type { RequestSpec } from './scenario.ts';

/** One invocation of a function. */
export interface Actor {
  readonly index: number;
  readonly name: string;
  readonly role: 'request' | 'reconciler' | 'webhook' | 'peace';
  /** A request's. */
  readonly spec?: RequestSpec;
  /** How far its clock is ahead; a clock that stands still falls behind. */
  skewMs: number;
  /** Ids made so far. */
  ids: number;
  /** By its own clock. */
  deadline: number;
  /** Leaps of the clock before it began. */
  beganAfter: number;
  /** Calls that were carried out. */
  calls: number;
  state: 'waiting' | 'running' | 'ended';
  /** Middy's early time-out. */
  timer: { readonly at: number; readonly fire: () => void } | undefined;
  /** Stands for everything that it has seen. */
  history: number;
  /** What the client got. */
  answer: Answered | undefined;
}

export interface Answered {
  readonly status: number;
  readonly body: string;
  /** Of a problem document. */
  readonly code: string | undefined;
  readonly retry: string | undefined;
}

export const newActor = (
  index: number,
  role: Actor['role'],
  name: string,
  skewMs: number,
  spec?: RequestSpec,
): Actor => ({
  index,
  name,
  role,
  ...(spec !== undefined && { spec }),
  skewMs,
  ids: 0,
  deadline: 0,
  beganAfter: 0,
  calls: 0,
  state: 'waiting',
  timer: undefined,
  history: 0,
  answer: undefined,
});
