import { lambdaTargets } from '../matrix/targets.js';
import { matrix } from '../matrix.js';

for (const target of lambdaTargets) matrix(target);
