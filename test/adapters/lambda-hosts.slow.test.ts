import { lambdaTargets } from '../matrix/targets.js';
import { matrix } from '../matrix.js';

// The first is in lambda.test.ts.
for (const target of lambdaTargets.slice(1)) matrix(target);
