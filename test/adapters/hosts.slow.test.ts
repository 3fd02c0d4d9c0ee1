import { describe } from 'vitest';
import { largeBodyCases } from '../matrix/bodies.js';
import {
  expressTargets,
  expressVerifierTargets,
  fastifyTarget,
  fastifyVerifierTarget,
  fetchTarget,
  fetchVerifierTarget,
  lambdaTargets,
  lambdaVerifierTarget,
  nodeTarget,
  nodeVerifierTarget,
} from '../matrix/targets.js';
import { matrix } from '../matrix.js';

// What the fast files of these adapters leave out.
for (const target of [
  nodeTarget,
  ...expressTargets.slice(0, 1),
  fastifyTarget,
  fetchTarget,
  ...lambdaTargets.slice(0, 1),
])
  describe(target.name, () => largeBodyCases(target));

const handlers = [...expressTargets.slice(1), ...lambdaTargets.slice(1)];
const verifiers = [fastifyVerifierTarget, lambdaVerifierTarget, nodeVerifierTarget, fetchVerifierTarget];
for (const target of [...handlers, ...expressVerifierTargets, ...verifiers]) matrix(target);
