import { describe, expect, it } from 'vitest';
import { readSettings } from '../../lib/local/settings.ts';

describe('the settings', () => {
  it('are optional', () => {
    expect(readSettings({})).toMatchObject({ port: 3000, providerPort: 3001, functionTimeoutMs: undefined });
    expect(readSettings({ PORT: '', DATA_DIR: '' })).toMatchObject({ port: 3000, dataDirectory: undefined });
  });

  it('are read in seconds', () => {
    const env = { FUNCTION_TIMEOUT_SECONDS: '4', RECONCILE_EVERY_SECONDS: '1', RECONCILE_GRACE_SECONDS: '0' };
    expect(readSettings(env)).toMatchObject({ functionTimeoutMs: 4000, reconcileEveryMs: 1000, graceSeconds: 0 });
  });

  it.each([
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PROVIDER_PORT', '3001.5'],
    ['FUNCTION_TIMEOUT_SECONDS', '0'],
    ['FUNCTION_TIMEOUT_SECONDS', '901'],
    ['RECONCILE_EVERY_SECONDS', '0'],
    ['QUEUE_VISIBILITY_SECONDS', '0'],
    ['RECONCILE_GRACE_SECONDS', '1e3'],
    ['RETENTION_SECONDS', ' 5'],
    ['DYNAMODB_ENDPOINT', 'localhost:8000'],
  ])('refuse %s=%s by its name', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(`${name} must be`);
  });

  it('take credentials along only to an engine that was named', () => {
    const env = { AWS_ACCESS_KEY_ID: 'real', AWS_SECRET_ACCESS_KEY: 'real' };
    expect(readSettings(env).aws).toEqual({});
    expect(readSettings({ ...env, DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000' }).aws).toEqual(env);
  });
});
