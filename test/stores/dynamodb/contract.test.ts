import { describe } from 'vitest';
import { describeMode } from './contract.js';
import { clientNames, hasDynamoDB, needsDynamoDB, useMemory } from './server.js';

describe.skipIf(!hasDynamoDB)(`DynamoDB Local${needsDynamoDB}`, () => {
  const { open } = useMemory();
  for (const name of clientNames) describeMode(name, 'lease', open);
  // writes.test.ts tests the transactions of the other client.
  describeMode('DynamoDB', 'transactional', open);
});
