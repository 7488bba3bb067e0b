/** Environment variables: written by the stacks, read by `lib/runtime`, overridden by the local run. */
export const ENV = {
  /** Name of the DynamoDB table. */
  tableName: 'TABLE_NAME',
  /** Absolute URL under which `/problems/{code}` is served; no trailing slash. */
  docsBase: 'DOCS_BASE_URL',
  /** How long a settled key is remembered, in whole seconds. */
  retentionSeconds: 'RETENTION_SECONDS',
  /** How long after the end of a lease an absent effect is still given time to appear, in whole seconds. */
  graceSeconds: 'RECONCILE_GRACE_SECONDS',
  /** JWT claim that names the tenant; unset where principals have no tenant. */
  tenantClaim: 'TENANT_CLAIM',
  /** ARN or name of the Secrets Manager secret that holds the Stripe secret key as plain text. */
  stripeSecretId: 'STRIPE_SECRET_ID',
  /** ARN or name of the secret that holds the signing secret of Stripe's webhook endpoint as plain text. */
  webhookSecretId: 'STRIPE_WEBHOOK_SECRET_ID',
  /** URL of the SQS queue that takes receipt jobs. */
  receiptQueueUrl: 'RECEIPT_QUEUE_URL',
  /** Origin of Stripe's API; unset in an account, the simulator's in the local run. */
  stripeApiBase: 'STRIPE_API_BASE',
} as const;
