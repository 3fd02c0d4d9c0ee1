import { redisStore } from '../../../../src/stores/redis/index.js';

/** The text of the scripts that the store sends, as it sends them. */
export interface StoreScripts {
  readonly claim: string;
  readonly complete: string;
  readonly release: string;
}

/** Takes the scripts from the commands of a store: one run that succeeds and one that fails. */
export async function scriptsOfStore(): Promise<StoreScripts> {
  const sent: string[] = [];
  const answers = ['claimed', 'recorded', 'claimed', 'released'];
  const client = {
    call: async (_eval: string, script = '') => {
      sent.push(script);
      return [answers[sent.length - 1]];
    },
  };
  const store = redisStore({ client });
  await store.once('a', async () => {});
  await store.once('b', () => Promise.reject(new Error('fails'))).catch(() => {});
  const [claim = '', complete = '', , release = ''] = sent;
  return { claim, complete, release };
}
