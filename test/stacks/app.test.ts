import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';

const OUT = mkdtempSync(join(tmpdir(), 'chipta-app-'));
afterAll(() => rmSync(OUT, { recursive: true }));

/** Runs the app as the CDK does, with the context of cdk.json under the given one and no account, network or AWS configuration. */
async function run(name: string, context: Record<string, string>) {
  const cdk = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const outdir = join(OUT, name);
  const app = spawn(process.execPath, ['bin/app.ts'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify({ ...cdk.context, 'aws:cdk:bundling-stacks': [], ...context }),
    },
  });
  const [stderr, [code]] = await Promise.all([text(app.stderr), once(app, 'close')]);
  return { outdir, stderr, code };
}

function read(outdir: string, file: string) {
  return JSON.parse(readFileSync(join(outdir, file), 'utf8'));
}

test('without any context both stacks of dev are made, in silence and without a finding', async () => {
  const { outdir, code, stderr } = await run('dev', {});

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(readdirSync(outdir)).toEqual(expect.arrayContaining(['Data.template.json', 'Service.template.json']));
  const { artifacts } = read(outdir, 'manifest.json');
  expect(artifacts.Data.properties).toMatchObject({ stackName: 'chipta-dev-data', terminationProtection: false });
  expect(artifacts.Service.properties.stackName).toBe('chipta-dev-service');
  expect(read(outdir, 'validation-report.json').pluginReports).toEqual([]);
});

test('prod is kept, and the issuer, the tenant claim and the origins reach the stacks', async () => {
  const { outdir, code } = await run('prod', {
    stage: 'prod',
    jwtIssuer: 'https://id.example/',
    jwtAudience: 'shop',
    tenantClaim: 'org',
    corsOrigins: 'https://shop.example',
  });

  expect(code).toBe(0);
  expect(read(outdir, 'manifest.json').artifacts.Data.properties).toMatchObject({
    stackName: 'chipta-prod-data',
    terminationProtection: true,
  });
  const data = JSON.stringify(read(outdir, 'Data.template.json'));
  expect(data).toContain('"DeletionProtectionEnabled":true');
  expect(data).not.toContain('AWS::Cognito');
  const service = JSON.stringify(read(outdir, 'Service.template.json'));
  expect(service).toContain('"JwtConfiguration":{"Audience":["shop"],"Issuer":"https://id.example/"}');
  expect(service).toContain('"TENANT_CLAIM":"org"');
  expect(service).toContain('"AllowOrigins":["https://shop.example"]');
});

test('a wrong context ends the run with one line that names it', async () => {
  const { code, stderr } = await run('wrong', { stage: 'production' });

  expect({ code, stderr }).toEqual({ code: 1, stderr: 'Context stage is dev or prod, not "production".\n' });
});
