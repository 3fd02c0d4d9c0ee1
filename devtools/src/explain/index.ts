export { explainFailure } from './explain-failure.js';
export { type ExplainRefusalsOptions, explainRefusals } from './explain-refusals.js';
export type { Finding } from './finding.js';
export type { ExplainFailureOptions, RequestHeaders } from './options.js';
