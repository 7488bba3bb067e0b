import { stripeProvider } from '../../lib/payments/stripe/provider.ts';
import { systemAmbient as ambient } from '../../lib/runtime/ambient.ts';
import { readDocs, readRetention, readStripe, readTable, readTenantClaim } from '../../lib/runtime/environment.ts';
import { logEvent as observe, logError as onUnexpected } from '../../lib/runtime/log.ts';
import { dynamoDbClient } from '../../lib/stores/dynamodb/client.ts';
import { dynamoDbStore } from '../../lib/stores/dynamodb/store.ts';
import { createHandler } from './app.ts';

const store = dynamoDbStore({ client: dynamoDbClient(), ...readTable(), ambient });
const provider = stripeProvider({ now: ambient.now, ...readStripe() });
const settings = { ...readDocs(), ...readRetention(), ...readTenantClaim() };
export const handler = createHandler({ store, provider, ambient, observe, onUnexpected, ...settings });
