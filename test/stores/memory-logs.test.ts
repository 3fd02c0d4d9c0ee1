import { describe } from 'vitest';
import { memoryStore } from '../../src/stores/memory.js';
import { describeLogs } from '../contracts/logs.js';

describe('logs in memory', () => {
  describeLogs(() => ({ store: memoryStore() }));
});
