/** A validated payment: what the gate stores, so that anybody can send it again and render its answer. */
export type PaymentCommand = {
  /** `null` where principals have no tenant. Orders are unique per tenant. */
  readonly tenant: string | null;
  /** 1 to 64 visible ASCII characters. */
  readonly orderId: string;
  /** Minor units of `currency`, a safe integer of at least 1. */
  readonly amount: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** The provider's token for a payment method; no secret, useless without the provider's own key. */
  readonly paymentMethod: string;
};
