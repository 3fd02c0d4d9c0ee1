// `#runtime` of the control of node:crypto.
export * from '../../src/runtime/node.js';
export { equalHex } from './leaky.js';
