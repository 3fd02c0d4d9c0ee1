import { expressVerifierTargets, verifyRequestTarget } from '../matrix/targets.js';
import { matrix } from '../matrix.js';

for (const target of [...expressVerifierTargets, verifyRequestTarget]) matrix(target);
