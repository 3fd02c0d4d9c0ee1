// `#runtime` of the control of the JavaScript HMAC and of WebCrypto.
export * from '../../src/internal/runtime-edge.js';
export { equalHex } from './leaky.js';
