/** What the package exports as `./dynamodb`. */
import { systemAmbient } from '../runtime/ambient.ts';
import { dynamoDbClient } from '../stores/dynamodb/client.ts';
import { type DynamoDbStoreOptions, dynamoDbStore as storeOf } from '../stores/dynamodb/store.ts';

export { dynamoDbClient } from '../stores/dynamodb/client.ts';

/**
 * Claims in a DynamoDB table with the key `pk`, the index `due` and TTL on `expiresAt`, as `IdempotencyTable` makes it.
 * Make it outside the handler, so that its connections are kept between invocations.
 */
export const dynamoDbStore = ({
  client = dynamoDbClient(),
  ...options
}: Pick<DynamoDbStoreOptions, 'tableName'> & Partial<DynamoDbStoreOptions>) =>
  storeOf({ client, ambient: systemAmbient, ...options });
