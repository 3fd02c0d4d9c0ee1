// `#core`: the one file of the published package that every subpath shares, so that importing a subpath reads few
// files. Lists the modules of the core that other rooms import; tsup.config.ts checks that none is missing.
export * from './errors.js';
export * from './events/exact-json.js';
export * from './events/field-rules.js';
export * from './events/parse-delivery.js';
export * from './internal/check-options.js';
export * from './internal/deadline.js';
export * from './internal/guards.js';
export * from './receiver/answer.js';
export * from './receiver/arrivals.js';
export * from './receiver/intake.js';
export * from './receiver/options.js';
export * from './receiver/receiver.js';
export * from './receiver/reporter.js';
export * from './receiver/router.js';
export * from './receiver/run-once.js';
export * from './signature/headers.js';
export * from './signature/sign-delivery.js';
export * from './signature/verify-signature.js';
export * from './stores/memory.js';
