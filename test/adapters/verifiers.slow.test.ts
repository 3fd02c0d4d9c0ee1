import {
  expressVerifierTargets,
  fastifyVerifierTarget,
  lambdaVerifierTarget,
  nodeVerifierTarget,
  verifyRequestTarget,
} from '../matrix/targets.js';
import { matrix } from '../matrix.js';

const others = [fastifyVerifierTarget, lambdaVerifierTarget, nodeVerifierTarget, verifyRequestTarget];
for (const target of [...expressVerifierTargets, ...others]) matrix(target);
