import { memoryStore } from '../../src/index.js';
import { describeStore } from '../contracts/store.js';

let time = 0;

describeStore('memoryStore', { meanwhile: 'waits', shared: false, leases: false }, () => ({
  open: async ({ retentionMs } = {}) => memoryStore({ retentionMs, now: () => time }),
  passTime: async (ms) => {
    time += ms;
  },
}));
