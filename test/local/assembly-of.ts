import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Json } from '../../lib/local/template/json.ts';

/** An assembly of one stack with an API and these resources, gone with the test. */
export function assemblyOf(resources: Record<string, Json>): string {
  const directory = mkdtempSync(join(tmpdir(), 'assembly-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const stack = { type: 'aws:cloudformation:stack', properties: { templateFile: 'One.template.json' } };
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ artifacts: { One: stack } }));
  const all = { Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: {} }, ...resources };
  writeFileSync(join(directory, 'One.template.json'), JSON.stringify({ Resources: all }));
  return directory;
}

export const lambda = (path: string, properties: Record<string, Json> = {}): Json => ({
  Type: 'AWS::Lambda::Function',
  Properties: { Code: { S3Key: 'abc.zip' }, Runtime: 'nodejs24.x', ...properties },
  Metadata: { 'aws:cdk:path': `One/${path}/Resource` },
});
