// `#decoding`: the one file of the published package that `./evm` and `./chain` share (see src/core.ts).
export * from './abi.js';
export * from './abi-data.js';
export * from './codec-of.js';
export * from './codec-simple.js';
export * from './contract-event.js';
export * from './decode-error.js';
export * from './decode-event.js';
export * from './decode-log.js';
export * from './decode-transaction.js';
export * from './event-item.js';
export * from './log-identity.js';
export * from './raw-log.js';
export * from './wire-fields.js';
