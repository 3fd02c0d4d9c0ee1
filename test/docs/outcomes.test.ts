import { expect, it } from 'vitest';
import { isPossible, type RunState } from '../../src/handle/outcome.js';
import { readPage } from './pages.js';

const STATES: readonly RunState[] = ['idle', 'running', 'done', 'failed', 'late'];

it('the table of what a store may answer is that of the code', () => {
  const { text } = readPage('docs/stores/your-own.md');
  const [, section = ''] = text.split('## What a store may answer\n');
  const rows = [...section.matchAll(/^\| `([\w-]+)` \| \d+ \| (.*) \|$/gm)].map(([, word = '', cells = '']) => ({
    [word]: cells.split(' | '),
  }));
  const cellOf = (word: string, state: RunState) => {
    const may = (isTransactional: boolean, isFresh: boolean) => isPossible(word, state, isTransactional, isFresh);
    if (!may(true, true)) return 'no';
    if (!may(false, true)) return 'in a transaction';
    return may(false, false) ? 'yes' : 'yes, if `run` got the key';
  };
  const words = ['handled', 'duplicate', 'in-progress', 'unknown'];
  expect(rows).toEqual(words.map((word) => ({ [word]: STATES.map((state) => cellOf(word, state)) })));
});
