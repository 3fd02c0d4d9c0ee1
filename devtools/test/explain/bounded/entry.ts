export { explainFailure } from '../../../src/explain/explain-failure.js';
export { repeated } from './units.js';
