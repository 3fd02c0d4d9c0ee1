import { describe } from 'vitest';
import { describeMode } from './contract.js';
import { clientNames, hasDynamoDB, needsDynamoDB, useMemory } from './server.js';

describe.skipIf(!hasDynamoDB)(`DynamoDB Local${needsDynamoDB}`, () => {
  const { open } = useMemory();
  for (const name of clientNames) {
    describeMode(name, 'lease', open);
    describeMode(name, 'transactional', open);
  }
});
