import { expect, it } from 'vitest';
import { notesOf } from '../../src/cli/commands/emulate.js';

function noting() {
  const notes: string[] = [];
  return { notes, logger: notesOf({ note: (text) => void notes.push(text) }) };
}

it('prints one line when a chain is lost, and one when it is back', () => {
  const { notes, logger } = noting();
  const err = new Error('eth_blockNumber failed: the node is unreachable (ECONNREFUSED). Is it running?');
  const lose = () => logger.error({ err, blockNumber: 7, delayMs: 500 }, 'Retrying block 7 in 500 ms.');
  const find = () => logger.info({ blockNumber: 9 }, 'The node answers again.');
  for (const act of [find, lose, lose, find, find, lose]) act();
  const lost = `${err.message} Trying again until it answers.`;
  expect(notes).toEqual([lost, 'The node answers again.', lost]);
});

it('prints other warnings, and nothing of deliveries', () => {
  const { notes, logger } = noting();
  logger.warn({ deliveryId: '1' }, 'failed');
  logger.debug({}, 'debug');
  logger.info({ fromBlock: 1 }, 'A re-org removed blocks 1 to 2.');
  logger.error({ err: new Error('disk full') }, 'The state could not be written.');
  expect(notes).toEqual(['The state could not be written.']);
});
