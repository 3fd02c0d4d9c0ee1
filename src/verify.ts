// The subpath "./verify": the signature functions alone, without the wire format and without zod.
export { type HeaderNames, multibaasHeaders, serviceHeaders } from './headers.js';
export {
  type RawBody,
  type SignedDelivery,
  type SignOptions,
  signDelivery,
  verifySignature,
} from './signature.js';
