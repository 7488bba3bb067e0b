import { systemAmbient as ambient } from '../../lib/runtime/ambient.ts';
import { readDocs, readTable, readTenantClaim } from '../../lib/runtime/environment.ts';
import { logError as onUnexpected } from '../../lib/runtime/log.ts';
import { dynamoDbClient } from '../../lib/stores/dynamodb/client.ts';
import { dynamoDbStore } from '../../lib/stores/dynamodb/store.ts';
import { createHandler } from './app.ts';

const store = dynamoDbStore({ client: dynamoDbClient(), ...readTable(), ambient });
export const handler = createHandler({ store, onUnexpected, ...readDocs(), ...readTenantClaim() });
