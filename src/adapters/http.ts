// `#http`: the one file of the published package that all adapters share (see src/core.ts).
export * from './collect.js';
export * from './node-http.js';
export * from './respond.js';
export * from './status.js';
