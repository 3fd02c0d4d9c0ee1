// The subpath "./verify": only the signature functions, without the wire format and zod.
export { type HeaderNames, multibaasHeaders, serviceHeaders } from './headers.js';
export { type SignedDelivery, type SignOptions, signDelivery } from './sign-delivery.js';
export { type RawBody, verifySignature } from './verify-signature.js';
