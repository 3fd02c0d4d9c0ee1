import { fetchTarget } from '../matrix/targets.js';
import { matrix } from '../matrix.js';

matrix(fetchTarget);
