import { redisStore } from '../../../../src/stores/redis/index.js';

/** The text of the scripts that the store sends, as it sends them. */
export interface StoreScripts {
  readonly claim: string;
  readonly record: string;
  readonly release: string;
}

/** Takes the scripts from the commands of a store. */
export async function scriptsOfStore(): Promise<StoreScripts> {
  const sent: string[] = [];
  const answers = ['claimed', 'recorded', 'released'];
  const client = {
    call: async (_eval: string, script = '') => {
      sent.push(script);
      return [answers[sent.length - 1]];
    },
  };
  const store = redisStore({ client });
  const step = { from: 'free', to: 'done' } as const;
  await store.claim(['a'], 'owner', step);
  await store.record(['a'], 'owner', step);
  await store.release(['a'], 'owner');
  const [claim = '', record = '', release = ''] = sent;
  return { claim, record, release };
}
