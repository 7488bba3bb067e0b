import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../lib/stores/dynamodb/item.ts';

interface Output {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[] | undefined;
}
interface Capacity {
  readonly CapacityUnits?: number | undefined;
}

export interface MeteredClient {
  readonly client: DynamoDBDocumentClient;
  /** The requests since the last call, with the units that the engine counted: none for a condition that failed. */
  take(): readonly (readonly [request: string, units: number | undefined])[];
}

/** A client that has the engine report what each request consumes. */
export function meteredClient(inner: DynamoDBDocumentClient): MeteredClient {
  const seen: (readonly [string, number | undefined])[] = [];
  const send = async (
    command: { readonly input: Item; readonly constructor: { readonly name: string } },
    options: never,
  ) => {
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' });
    const name = command.constructor.name.replace('Command', '');
    try {
      const output = (await inner.send(command as never, options)) as Output;
      seen.push([name, unitsOf(output)]);
      return output;
    } catch (error) {
      seen.push([name, undefined]);
      throw error;
    }
  };
  return {
    client: { send } as unknown as DynamoDBDocumentClient, // The store calls nothing else.
    take: () => seen.splice(0),
  };
}

const unitsOf = ({ ConsumedCapacity }: Output): number | undefined =>
  [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
