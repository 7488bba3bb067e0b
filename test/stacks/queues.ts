import type { Template } from 'aws-cdk-lib/assertions';
import { all } from './synth.ts';

type Queue = ReturnType<typeof all>[number];

/** The queues of the service stack, by what they are for. */
export function queuesOf(template: Template) {
  const at = (path: string): Queue => {
    const found = all(template, 'AWS::SQS::Queue').find(
      ({ resource }) => resource.Metadata['aws:cdk:path'] === `Service/${path}/Resource`,
    );
    if (found === undefined) throw new Error(`there is no queue ${path}`);
    return found;
  };
  return {
    receipts: at('Receipts/Queue'),
    receiptsDeadLetters: at('Receipts/DeadLetters'),
    scheduleDeadLetters: at('Reconciler/DeadLetters'),
  };
}
