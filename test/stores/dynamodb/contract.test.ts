import { describe } from 'vitest';
import { describeMode } from './contract.js';
import { hasDynamoDB, needsDynamoDB, useMemory } from './server.js';

describe.skipIf(!hasDynamoDB)(`DynamoDB Local${needsDynamoDB}`, () => {
  const { open } = useMemory();
  // writes.test.ts tests the transactions of both clients.
  describeMode('DynamoDBDocument', 'lease', open);
  describeMode('DynamoDB', 'transactional', open);
});
