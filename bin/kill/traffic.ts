/** The steps of the protocol, as they go by on the wire to the engine. */
export type Step =
  | 'claim'
  | 'take-over'
  | 'gate'
  | 'settle'
  | 'hand-off'
  | 'release'
  | 'lease'
  | 'quarantine'
  /** Orders and payments without a claim. */
  | 'domain'
  | 'read';

export interface Seen {
  readonly step: Step;
  /** The claim's address. */
  readonly pk: string | undefined;
}

type Value = { readonly S?: string };

interface Action {
  readonly Item?: Readonly<Record<string, Value>>;
  readonly Key?: Readonly<Record<string, Value>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, Value>>;
}

interface Request extends Action {
  readonly TransactItems?: readonly { readonly Put?: Action; readonly Update?: Action; readonly Delete?: Action }[];
}

const STATUS_STEPS: Readonly<Record<string, Step>> = { executing: 'gate', unknown: 'hand-off', done: 'settle' };

/** Reads a request to DynamoDB by its operation and its body. */
export function readTraffic(operation: string, body: string): Seen {
  const request = JSON.parse(body) as Request; // What the AWS SDK sends.
  switch (operation) {
    case 'PutItem':
      return { step: 'claim', pk: request.Item?.['pk']?.S };
    case 'DeleteItem':
      return { step: 'release', pk: request.Key?.['pk']?.S };
    case 'UpdateItem':
      return update(request);
    case 'TransactWriteItems': {
      const ours = request.TransactItems?.find(({ Update }) => Update !== undefined)?.Update;
      return ours === undefined ? { step: 'domain', pk: undefined } : update(ours);
    }
    default:
      return { step: 'read', pk: request.Key?.['pk']?.S };
  }
}

function update({ Key, ExpressionAttributeValues: values = {} }: Action): Seen {
  const pk = Key?.['pk']?.S;
  const step = STATUS_STEPS[values[':status']?.S ?? ''];
  if (step !== undefined) return { step, pk };
  if (':quarantine' in values) return { step: 'quarantine', pk };
  return { step: ':owner' in values ? 'take-over' : 'lease', pk };
}
