import { sqsReceipts } from '../../lib/payments/sqs-receipts.ts';
import { stripeProvider } from '../../lib/payments/stripe/provider.ts';
import { systemAmbient as ambient } from '../../lib/runtime/ambient.ts';
import * as env from '../../lib/runtime/environment.ts';
import { logEvent as observe, logError as onUnexpected } from '../../lib/runtime/log.ts';
import { dynamoDbClient } from '../../lib/stores/dynamodb/client.ts';
import { dynamoDbStore } from '../../lib/stores/dynamodb/store.ts';
import { createHandler } from './app.ts';

const store = dynamoDbStore({ client: dynamoDbClient(), ...env.readTable(), ambient });
const provider = stripeProvider({ now: ambient.now, ...env.readStripe() });
const receipts = sqsReceipts(env.readReceiptQueue());
const settings = { ...env.readWebhook(), ...env.readDocs(), ...env.readRetention() };
export const handler = createHandler({ store, provider, receipts, ambient, observe, onUnexpected, ...settings });
