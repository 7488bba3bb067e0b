import { describe, expect, it } from 'vitest';
import { failedMessages } from '../../../lib/local/queue/batch-result.ts';

describe('the result of a batch', () => {
  const ids = ['1', '2'];

  it.each<[unknown, string[]]>([
    [null, []],
    [{}, []],
    [{ batchItemFailures: null }, []],
    [{ batchItemFailures: [] }, []],
    [{ batchItemFailures: [{ itemIdentifier: '2' }] }, ['2']],
    [{ batchItemFailures: [{ itemIdentifier: '2' }, { itemIdentifier: '2' }] }, ['2']],
    [{ batchItemFailures: [{ itemIdentifier: '3' }] }, ids],
    [{ batchItemFailures: [{ itemIdentifier: '1' }, { itemIdentifier: '3' }] }, ids],
    [{ batchItemFailures: [{ itemIdentifier: '' }] }, ids],
    [{ batchItemFailures: [{ itemIdentifier: null }] }, ids],
    [{ batchItemFailures: [{ identifier: '1' }] }, ids],
    [{ batchItemFailures: ['1'] }, ids],
    [{ batchItemFailures: '1' }, ids],
    ['done', ids],
    [['1'], ids],
  ])('%j fails %j', (result, expected) => {
    const outcome = { kind: 'returned', payload: JSON.stringify(result) } as const;
    expect([...failedMessages(outcome, ids, true)]).toEqual(expected);
  });
});
