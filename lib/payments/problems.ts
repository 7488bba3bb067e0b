import type { ProblemType } from '../idempotency/problems.ts';

/** The problems of the payments service. */
export const PAYMENT_PROBLEMS = {
  requestInvalid: {
    code: 'request-invalid',
    status: 400,
    title: 'The request is not a valid payment',
    retry: 'no',
    explanation:
      'The body must be a JSON object with exactly `orderId`, `amount`, `currency` and `paymentMethod`. ' +
      'The member `errors` names what was received and what is allowed. Nothing was claimed: the same key may be ' +
      'used for the corrected request.',
  },
  mediaTypeUnsupported: {
    code: 'media-type-unsupported',
    status: 415,
    title: 'The body is not JSON',
    retry: 'no',
    explanation: 'Send the payment as JSON with `Content-Type: application/json`. Nothing was claimed.',
  },
  declined: {
    code: 'payment-declined',
    status: 402,
    title: 'The payment was declined',
    retry: 'new-key',
    explanation:
      'The provider declined this payment method and nothing was charged. The answer is final for this key. ' +
      'To try again, for example with another card, use a new key.',
  },
  notPerformed: {
    code: 'payment-not-performed',
    status: 402,
    title: 'The payment was not made',
    retry: 'new-key',
    explanation:
      'The provider proved that nothing was charged and that nothing will be charged under this key. ' +
      'The answer is final for this key. To pay, start again with a new key.',
  },
  orderAlreadyPaid: {
    code: 'order-already-paid',
    status: 409,
    title: 'The order is already paid',
    retry: 'no',
    explanation: 'An order takes one payment, whatever the key. Nothing was charged by this request.',
  },
  orderPaymentPending: {
    code: 'order-payment-pending',
    status: 409,
    title: 'Another payment of this order is under way',
    retry: 'same-key',
    explanation:
      'An order that is being paid under one key takes no payment under another. Nothing was charged by this ' +
      'request. Ask again after Retry-After seconds: either the order is paid by then, or it is free.',
  },
  paymentNotFound: {
    code: 'payment-not-found',
    status: 404,
    title: 'There is no such payment',
    retry: 'no',
    explanation: 'The payment does not exist, or it is not yours.',
  },
  keyNotFound: {
    code: 'idempotency-key-not-found',
    status: 404,
    title: 'The key is not known',
    retry: 'same-key',
    explanation:
      'No request of yours has used this key, or its retention has ended. Within the retention this means that the ' +
      'request never arrived: send it with the same key.',
  },
  webhookRefused: {
    code: 'webhook-refused',
    status: 400,
    title: 'The event is not signed as it must be',
    retry: 'no',
    explanation:
      'The body and its `Stripe-Signature` do not belong together, or are more than five minutes old. Nothing was ' +
      'stored. Check the signing secret of the endpoint, and that nothing on the way changes the body.',
  },
  webhookUnfinished: {
    code: 'webhook-unfinished',
    status: 503,
    title: 'The event was not worked off yet',
    retry: 'same-key',
    explanation:
      'Another delivery of this event is at work, or what it is about could not be found out. Deliver it again after ' +
      'Retry-After seconds.',
  },
} as const satisfies Record<string, ProblemType>;
