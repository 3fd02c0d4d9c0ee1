import { bundleWith, type Defect } from './defect.js';
import { drainDefects } from './drains.js';
import { leaseDefects } from './leases.js';
import { letterDefects } from './letters.js';
import { otherDefects } from './others.js';
import { receiverDefects } from './receiver.js';
import { redisDefects } from './redis.js';
import { reorgsDefects } from './reorgs.js';

/** Every defect that the simulation must find. */
export const defects: readonly Defect[] = [
  ...receiverDefects,
  ...drainDefects,
  ...leaseDefects,
  ...redisDefects,
  ...letterDefects,
  ...otherDefects,
  ...reorgsDefects,
];

/** Bundles the code, with the defect of that name if there is one. */
export function bundleOf(defect?: string): Promise<string> {
  return bundleWith(defects.find(({ name }) => name === defect) ?? { name: 'none', patches: [] });
}
