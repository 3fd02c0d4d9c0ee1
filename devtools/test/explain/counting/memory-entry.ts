export { explainFailure } from '../../../src/explain/explain-failure.js';
export { repeated, timesIn } from './units.js';
