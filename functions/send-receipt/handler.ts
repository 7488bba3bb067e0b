import { systemAmbient as ambient } from '../../lib/runtime/ambient.ts';
import { readTable } from '../../lib/runtime/environment.ts';
import { logEvent as observe, logReceipt as send } from '../../lib/runtime/log.ts';
import { dynamoDbClient } from '../../lib/stores/dynamodb/client.ts';
import { dynamoDbStore } from '../../lib/stores/dynamodb/store.ts';
import { createHandler } from './app.ts';

const store = dynamoDbStore({ client: dynamoDbClient(), ...readTable(), ambient });
/** The place to plug e-mail in: until then a receipt is a line of the log. */
export const handler = createHandler({ store, ambient, observe, sender: { send } });
