declare const brand: unique symbol;

/** `<algorithm>:<base64url digest>` of what a request asks for. */
export type Fingerprint = string & { readonly [brand]: 'Fingerprint' };
