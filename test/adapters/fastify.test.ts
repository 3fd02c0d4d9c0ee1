import { fastifyTarget } from '../matrix/targets.js';
import { matrix } from '../matrix.js';

matrix(fastifyTarget);
