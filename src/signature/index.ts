// The subpath "./verify": the signature functions alone, without the wire format and without zod.
export { type HeaderNames, multibaasHeaders, serviceHeaders } from './headers.js';
export { type SignedDelivery, type SignOptions, signDelivery } from './sign-delivery.js';
export { type RawBody, verifySignature } from './verify-signature.js';
