import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Intention, newIntention, noteFinal } from '../../bin/kill/intention.ts';
import { judgeRound, type Movement } from '../../bin/kill/oracle.ts';
import type { Item, Table } from '../../bin/kill/table.ts';

/** A round that ended well: one intention, charged and answered 201. Each test spoils one thing in it. */
const body = { orderId: 'o-1', amount: 5, currency: 'UZS', paymentMethod: 'pm_card_visa' };
const final = { status: 201, location: '/payments/p-1', contentType: 'application/json', text: '{"id":"p-1"}' };
const movement: Movement = { orderId: 'o-1', operation: 'op-1', amount: 5, currency: 'UZS' };

const paidIntention = (): Intention => {
  const intention = newIntention({ id: 'i-1', subject: 'alice', key: 'k-1', body, manner: 'patient' });
  noteFinal(intention, final);
  intention.end = 'final';
  return intention;
};

const doneClaim = (pk: string): Item => ({
  pk,
  operation: 'op-1',
  status: 'done',
  expiresAt: 1,
  response: { status: final.status, body: Buffer.from(final.text).toString('base64') },
});

interface Round {
  readonly intention: Intention;
  readonly claim: Item | undefined;
  readonly orders: readonly Item[];
  readonly payments: readonly Item[];
  readonly ledger: readonly Movement[];
}

const record = (pk: string, content: object): Item => ({ pk, record: { operation: 'op-1', ...content } });

function goodRound(): Round {
  const intention = paidIntention();
  return {
    intention,
    claim: doneClaim(intention.pk),
    orders: [record('orders/1', { state: 'paid' })],
    payments: [record('payments/1', { status: 'succeeded', receipt: 'queued' })],
    ledger: [movement],
  };
}

const verdictOn = ({ intention, claim, orders, payments, ledger }: Round): readonly string[] => {
  const table: Table = { claims: new Map(claim ? [[claim.pk, claim]] : []), orders, payments };
  return judgeRound({ intentions: [intention], table, ledger }).map(({ what }) => what);
};

const spoiled = (change: Partial<Round>): readonly string[] => verdictOn({ ...goodRound(), ...change });

describe('the oracle of the kill rig', () => {
  it('finds nothing wrong with one charge, one answer and nothing open', () => {
    expect(spoiled({})).toEqual([]);
  });

  it('sees an order that was charged twice', () => {
    expect(spoiled({ ledger: [movement, movement] })).toContain('the order o-1 was charged 2 times');
  });

  it('sees a charge that nobody can account for', () => {
    const stray = { ...movement, orderId: 'o-2', operation: 'op-2' };
    expect(spoiled({ ledger: [movement, stray] })).toContain(
      'the order o-2 was charged by an operation that no claim knows',
    );
  });

  it('sees a charge of another amount', () => {
    expect(spoiled({ ledger: [{ ...movement, amount: 6 }] }).join()).toMatch('charged 6 UZS for o-1');
  });

  it('sees a 201 without a charge', () => {
    expect(spoiled({ ledger: [] })).toContain('answered 201, not charged');
  });

  it('sees a charge that was answered 402', () => {
    const { intention } = goodRound();
    const claim = { ...doneClaim(intention.pk), response: { status: 402, body: '' } };
    expect(spoiled({ claim })).toContain('answered 402, and charged');
  });

  it('sees two final answers to one key', () => {
    const intention = paidIntention();
    noteFinal(intention, { ...final, text: '{"id":"p-2"}' });
    expect(spoiled({ intention })).toContain('2 different final answers');
  });

  it('sees a final answer that is not the stored one', () => {
    const { intention } = goodRound();
    const claim = { ...doneClaim(intention.pk), response: { status: 201, body: 'e30=' } };
    expect(spoiled({ claim })).toContain('the final answer is not what is stored');
  });

  it('reads an answer that is stored compressed', () => {
    const { intention } = goodRound();
    const headers = '{"content-type":"application/json"}';
    const packed = zstdCompressSync(Buffer.from(headers + final.text)).toString('base64');
    const claim = { ...doneClaim(intention.pk), response: { status: 201, packed, head: headers.length } };
    expect(spoiled({ claim })).toEqual([]);
  });

  it('sees a settled claim whose answer nobody gets', () => {
    const intention = newIntention({ id: 'i-1', subject: 'alice', key: 'k-1', body, manner: 'forgetful' });
    intention.end = 'abandoned';
    expect(spoiled({ intention })).toEqual(['settled, and nobody gets the answer']);
  });

  it('sees a final answer whose claim is gone', () => {
    expect(spoiled({ claim: undefined })).toContain('a final answer without a settled claim');
  });

  it('sees a client that was left without an answer', () => {
    const intention = newIntention({ id: 'i-1', subject: 'alice', key: 'k-1', body, manner: 'patient' });
    expect(spoiled({ intention })).toContain('a patient client never got a final answer');
  });

  it('sees a key that is still open, and one that is quarantined without need', () => {
    const { intention } = goodRound();
    const { expiresAt: _, ...rest } = doneClaim(intention.pk);
    const open = { ...rest, status: 'unknown', dueAt: 1 };
    expect(spoiled({ claim: open })).toContain('still open (unknown) in the end');
    expect(spoiled({ claim: { ...open, quarantine: 'why' } })).toContain('still open (unknown) in the end');
  });

  it('sees an expiry on an open claim, a settled claim without one, and one that is still in the index', () => {
    const { intention } = goodRound();
    const { expiresAt: _, ...rest } = doneClaim(intention.pk);
    expect(spoiled({ claim: { ...doneClaim(intention.pk), status: 'claimed' } })).toContain('open with expiresAt');
    expect(spoiled({ claim: rest })).toContain('done without expiresAt');
    expect(spoiled({ claim: { ...doneClaim(intention.pk), dueAt: 1 } })).toContain('done and still in the index');
  });

  it('sees an order that is locked by nobody, paid without a charge, or charged and not paid', () => {
    expect(spoiled({ orders: [record('orders/1', { state: 'pending' })] })).toEqual([
      'the order is locked by nobody at work',
      'charged, and the order is not paid',
    ]);
    expect(spoiled({ ledger: [] })).toContain('the order is paid without a charge');
  });

  it('sees a payment that was not moved on to its end', () => {
    const payments = (content: object) => ({ payments: [record('payments/1', content)] });
    expect(spoiled(payments({ status: 'processing', receipt: 'none' }))).toEqual([
      'the payment is processing in the end',
    ]);
    expect(spoiled(payments({ status: 'succeeded', receipt: 'due' }))).toEqual(['the receipt was never queued']);
    expect(spoiled({ payments: [] })).toEqual(['charged, and no payment is recorded']);
  });
});
