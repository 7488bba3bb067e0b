import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ContextError, readContext, type Settings } from '../lib/stacks/context.ts';
import { DataStack } from '../lib/stacks/data-stack.ts';
import { ServiceStack } from '../lib/stacks/service-stack.ts';

const app = new App();
const { stage, jwt, tenantClaim, corsOrigins } = settings();
const disposable = stage === 'dev';

const data = new DataStack(app, 'Data', {
  stackName: `chipta-${stage}-data`,
  description: `Chipta (${stage}): claims, secrets and identities`,
  terminationProtection: !disposable,
  disposable,
  ...(jwt === undefined ? {} : { jwt }),
});
new ServiceStack(app, 'Service', {
  stackName: `chipta-${stage}-service`,
  description: `Chipta (${stage}): HTTP API, functions, queue and schedule`,
  disposable,
  table: data.table,
  stripeSecretArn: data.stripeSecretArn,
  webhookSecretArn: data.webhookSecretArn,
  jwt: data.jwt,
  corsOrigins,
  ...(tenantClaim === undefined ? {} : { tenantClaim }),
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

/** The operator's mistake is one line, not a stack trace. */
function settings(): Settings {
  try {
    return readContext((name) => app.node.tryGetContext(name));
  } catch (error) {
    if (!(error instanceof ContextError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
