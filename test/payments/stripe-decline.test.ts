import { describe, expect, it } from 'vitest';
import { newCall, simulated } from './stripe-call.ts';
import { answer, failure, intentOf, type Step, scripted } from './stripe-script.ts';

const declinedOutcome = (code: string) => ({
  kind: 'outcome',
  outcome: { result: 'declined', ref: expect.stringMatching(/^pi_/), detail: { code } },
});

describe('a decline', () => {
  it.each([
    ['pm_card_chargeDeclined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_authenticationRequired', 'authentication_required'],
  ])('of %s is the same outcome from a charge, a resend, a look-up and a retrieval', async (paymentMethod, code) => {
    const { stripe, charges } = await simulated();
    const call = newCall({ paymentMethod });
    const performed = await stripe.perform(call);
    expect(performed).toEqual(declinedOutcome(code));
    const ref = performed.kind === 'outcome' ? performed.outcome.ref : undefined;
    expect(await stripe.perform(call)).toEqual(performed);
    expect(await stripe.lookup(call)).toEqual(performed);
    expect(await stripe.lookup({ ...call, ...(ref === undefined ? {} : { providerRef: ref }) })).toEqual(performed);
    expect(await charges(call.operation)).toBe(0);
  });

  it('is final: its intent is cancelled and cannot be confirmed again', async () => {
    const { stripe, url } = await simulated();
    const performed = await stripe.perform(newCall({ paymentMethod: 'pm_card_chargeDeclined' }));
    const ref = performed.kind === 'outcome' ? performed.outcome.ref : '';
    const confirmed = await fetch(`${url}/v1/payment_intents/${ref}/confirm`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_local' },
      body: 'payment_method=pm_card_visa',
    });
    expect(confirmed.status).toBe(400);
  });

  it('whose answer is lost is cancelled by the look-up', async () => {
    const { stripe, fault } = await simulated();
    const call = newCall({ paymentMethod: 'pm_card_chargeDeclined' });
    await fault('drop_after');
    expect(await stripe.perform(call)).toMatchObject({ kind: 'unknown' });
    expect(await stripe.lookup(call)).toEqual(declinedOutcome('generic_decline'));
  });

  it.each(['500_before', 'drop_before', '429'])(
    'stays unknown while %s keeps it from being cancelled',
    async (name) => {
      const { stripe, fault } = await simulated();
      const call = newCall({ paymentMethod: 'pm_card_chargeDeclined' });
      await fault('drop_after');
      await stripe.perform(call);
      await fault('slow', { ms: 1 });
      await fault(name, { times: 2 });
      expect(await stripe.lookup(call)).toEqual({
        kind: 'unknown',
        reason: 'declined (generic_decline) but not cancelled',
        providerRef: expect.stringMatching(/^pi_/),
      });
      expect(await stripe.lookup(call)).toEqual(declinedOutcome('generic_decline'));
    },
  );
});

describe('cancelling a declined intent', () => {
  const call = newCall({}, { timeoutMs: 10_000 });
  const open = { status: 'requires_payment_method', last_payment_error: { decline_code: 'do_not_honor' } };
  const noted = {
    metadata: { ...intentOf(call).metadata, declined: 'do_not_honor' },
  };
  const decline = failure(402, { type: 'card_error', payment_intent: intentOf(call, open) });
  const unexpected = failure(400, { type: 'invalid_request_error', code: 'payment_intent_unexpected_state' });
  const act = async (...steps: Step[]) => {
    const { stripe, asked } = await scripted([decline, ...steps]);
    return { evidence: await stripe.perform(call), lines: asked.map(({ line }) => line), asked };
  };

  it('notes the code before it cancels, because cancelling wipes it', async () => {
    const { evidence, lines, asked } = await act(
      answer(200, intentOf(call, noted)),
      answer(200, intentOf(call, { ...noted, status: 'canceled' })),
    );
    expect(evidence).toEqual(declinedOutcome('do_not_honor'));
    expect(lines.slice(1)).toEqual(['POST /v1/payment_intents/pi_1', 'POST /v1/payment_intents/pi_1/cancel']);
    expect(new URLSearchParams(asked[1]?.body).get('metadata[declined]')).toBe('do_not_honor');
  });

  it('is performed when the intent has succeeded meanwhile', async () => {
    const { evidence } = await act(answer(200, intentOf(call, noted)), unexpected, answer(200, intentOf(call, noted)));
    expect(evidence).toMatchObject({ outcome: { result: 'performed', ref: 'pi_1' } });
  });

  it('is declined when somebody else cancelled it meanwhile', async () => {
    const { evidence } = await act(unexpected, answer(200, intentOf(call, { ...noted, status: 'canceled' })));
    expect(evidence).toEqual(declinedOutcome('do_not_honor'));
  });

  it('is unknown when the intent stays open', async () => {
    const still = answer(200, intentOf(call, { ...open, ...noted }));
    const { evidence } = await act(still, failure(500, {}), still);
    expect(evidence).toMatchObject({ kind: 'unknown', providerRef: 'pi_1' });
  });

  it('notes nothing twice', async () => {
    const { stripe, asked } = await scripted([
      answer(200, intentOf(call, { ...open, ...noted, last_payment_error: null })),
      answer(200, intentOf(call, { ...noted, status: 'canceled' })),
    ]);
    expect(await stripe.lookup({ ...call, providerRef: 'pi_1' })).toEqual(declinedOutcome('do_not_honor'));
    expect(asked).toHaveLength(2);
  });
});

describe('the code of a decline', () => {
  it.each([
    [{ decline_code: 'lost_card', code: 'card_declined' }, 'lost_card'],
    [{ decline_code: '', code: 'expired_card' }, 'expired_card'],
    [{}, 'generic_decline'],
  ])('of %j is %s', async (error, code) => {
    const call = newCall();
    const { stripe } = await scripted([answer(200, intentOf(call, { status: 'canceled', last_payment_error: error }))]);
    expect(await stripe.lookup({ ...call, providerRef: 'pi_1' })).toEqual(declinedOutcome(code));
  });

  it('of an intent that waits for its customer is authentication_required, before and after it is cancelled', async () => {
    const call = newCall();
    const cancelled = intentOf(call, { status: 'canceled', cancellation_reason: 'abandoned' });
    const { stripe } = await scripted([
      answer(200, intentOf(call, { status: 'requires_action' })),
      answer(200, intentOf(call, { status: 'requires_action' })),
      answer(200, cancelled),
      answer(200, cancelled),
    ]);
    const lookup = () => stripe.lookup({ ...call, providerRef: 'pi_1' });
    expect(await lookup()).toEqual(declinedOutcome('authentication_required'));
    expect(await lookup()).toEqual(declinedOutcome('authentication_required'));
  });

  it('does not exist where somebody cancelled an intent that nobody had declined: that is not performed', async () => {
    const call = newCall();
    const cancelled = intentOf(call, { status: 'canceled', cancellation_reason: 'requested_by_customer' });
    const { stripe } = await scripted([answer(200, cancelled)]);
    expect(await stripe.lookup({ ...call, providerRef: 'pi_1' })).toEqual({
      kind: 'outcome',
      outcome: { result: 'not-performed' },
    });
  });
});
