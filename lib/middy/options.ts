import type { Context } from 'aws-lambda';
import type { HttpEvent } from '../http/exchange.ts';
import type { PrincipalOptions } from '../http/principal.ts';
import type { WrittenResult } from '../http/result.ts';
import type { FieldRules } from '../idempotency/body-fields.ts';
import type { Effect } from '../idempotency/effect.ts';
import type { JsonObject } from '../idempotency/json.ts';
import type { PolicyOptions } from '../idempotency/policies.ts';
import type { ProtocolEvent } from '../idempotency/protocol.ts';
import type { Principal } from '../idempotency/scope.ts';
import type { Store } from '../idempotency/store.ts';
import type { Ambient } from '../idempotency/time.ts';
import type { FreshHeadersOptions } from './fresh-headers.ts';
import type { KeyPolicyOptions } from './key-policy.ts';

/** What the handler finds in its context. */
export interface OperationContext<C extends JsonObject = JsonObject> extends Context {
  readonly operation: {
    /** Id of this operation: stable over takeovers, new when the key is lawfully used again. */
    readonly id: string;
    /** The only way to the effect. Resolves to the answer, which is to be returned as it is. */
    perform(command: C): Promise<WrittenResult>;
  };
}

/** Finds the caller where the front door does not verify one, or another way than the default. */
export type PrincipalFinder = {
  /** A method's parameter, so that a finder for one format fits where events of any may come. */
  find(event: HttpEvent): Principal | undefined | Promise<Principal | undefined>;
}['find'];

export interface IdempotencyOptions<C extends JsonObject> extends KeyPolicyOptions, PolicyOptions, FreshHeadersOptions {
  readonly store: Store;
  readonly ambient: Ambient;
  /** Absolute URL that serves `/problems/{code}`; no trailing slash. */
  readonly docsBase: string;
  /** The external effect. Without one, the handler itself is what runs at most once. */
  readonly effect?: Effect<C>;
  /** Which verified member names the caller, or a function that finds it. @default whom the authorizer verified */
  readonly principal?: PrincipalOptions | PrincipalFinder;
  /** Which fields of JSON bodies tell requests apart. @default all of them */
  readonly fingerprint?: FieldRules;
  /** The custom domain's base path, where requests have no route of their own; without slashes. @default none */
  readonly basePath?: string;
  /** Path that tells the state of a key, for `Link` headers. @default none */
  readonly keyStatusPath?: (key: string) => string;
  /** For logs and metrics; must not throw. @default nothing */
  readonly observe?: (event: ProtocolEvent) => void;
}
