// `#runtime` of the control of the JavaScript HMAC and of WebCrypto.
export * from '../../src/runtime/edge.js';
export { equalHex } from './leaky.js';
