/** What the synthesised app says, as far as the local run serves it. */
export interface ServiceModel {
  readonly functions: readonly FunctionModel[];
  readonly routes: readonly RouteModel[];
  readonly cors: CorsModel | undefined;
  readonly authorizers: readonly AuthorizerModel[];
  readonly tables: readonly TableModel[];
  readonly schedules: readonly ScheduleModel[];
  readonly queues: readonly QueueModel[];
  readonly eventSources: readonly EventSourceModel[];
  /** By secret: the ARN and the name under which it is asked for. */
  readonly secrets: readonly (readonly string[])[];
}

export interface FunctionModel {
  /** The construct's id, which is its folder's name: `create-payment`. */
  readonly id: string;
  /** The deployed name, which ARNs end in. */
  readonly name: string;
  readonly assetDirectory: string;
  /** `file.export` inside the asset. */
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Where the template reserves concurrency, which is a limit too. */
  readonly concurrencyMax: number | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

export interface RouteModel {
  /** `POST /payments`, `ANY /{proxy+}` or `$default`. */
  readonly routeKey: string;
  readonly functionId: string;
  /** Id of the JWT authorizer; an open route has none. */
  readonly authorizerId: string | undefined;
  /** A token needs one of them, when there are any. */
  readonly scopes: readonly string[];
  readonly integrationTimeoutMs: number;
}

export interface AuthorizerModel {
  readonly id: string;
  readonly issuer: string;
  readonly audience: readonly string[];
}

export interface CorsModel {
  readonly allowCredentials: boolean;
  readonly allowHeaders: readonly string[];
  readonly allowMethods: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly maxAgeSeconds: number | undefined;
}

export interface KeyModel {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

export interface IndexModel {
  readonly IndexName: string;
  readonly KeySchema: readonly KeyModel[];
  readonly Projection: { readonly ProjectionType: string; readonly NonKeyAttributes?: readonly string[] };
}

export interface TableModel {
  readonly name: string;
  readonly keySchema: readonly KeyModel[];
  readonly attributes: readonly { readonly AttributeName: string; readonly AttributeType: 'S' | 'N' | 'B' }[];
  readonly globalIndexes: readonly IndexModel[];
  readonly ttlAttribute: string | undefined;
}

export interface QueueModel {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly fifo: boolean;
  readonly contentBasedDeduplication: boolean;
  readonly visibilityMs: number;
  readonly delayMs: number;
  /** How long a receive waits that does not say so itself. */
  readonly waitMs: number;
  readonly redrive: { readonly deadLetterArn: string; readonly receiveCountMax: number } | undefined;
}

/** A queue whose messages invoke a function. */
export interface EventSourceModel {
  readonly queueArn: string;
  readonly functionId: string;
  readonly batchSize: number;
  /** How long a batch may wait to be filled. */
  readonly windowMs: number;
  /** Whether the function's result names the messages that it failed. */
  readonly reportsFailures: boolean;
  readonly concurrencyMax: number | undefined;
}

export interface ScheduleModel {
  readonly name: string;
  readonly functionId: string;
  /** A cron expression has none and runs only when it is asked for. */
  readonly everyMs: number | undefined;
  /** The event's JSON, where the schedule fixes one. */
  readonly input: string | undefined;
}
