import type { Claim, Leases } from 'event-webhook-receiver/stores/leased';
import { unique } from './call.js';
import type { Cases, Trial } from './trial.js';
import { settled } from './waiting.js';
import { BOTH, failure, REFUSED, show, TWICE, UNNOTICED } from './words.js';

const LEASE_MS = 60_000;
const RETENTION_MS = 600_000;

/** The three writes for a key, and what is expected of them. */
async function writes<Tx>(trial: Trial<Tx>, key = unique()) {
  const leases = (await trial.options.leases?.()) as Leases;
  const claim = (owner: string) => settled('leases.claim', () => leases.claim(key, owner, LEASE_MS));
  return {
    release: (owner: string) => settled('leases.release', () => leases.release(key, owner)),
    /** Expects that `owner` gets the key, and returns the answer, which may be a fencing token. */
    async claimed(owner: string, what: string, meaning = REFUSED): Promise<Claim> {
      const claimed = await claim(owner);
      if (claimed === 'claimed' || typeof claimed === 'bigint') return claimed;
      throw failure(what, "'claimed' or a bigint", { answer: claimed }, meaning);
    },
    async refused(owner: string, word: 'in-progress' | 'duplicate', what: string): Promise<void> {
      const claimed = await claim(owner);
      if (claimed !== word) throw failure(what, show(word), { answer: claimed }, word === 'duplicate' ? UNDONE : BOTH);
    },
    async completed(owner: string, expected: boolean, what: string): Promise<void> {
      const recorded = await settled('leases.record', () => leases.record(key, owner, RETENTION_MS));
      if (recorded !== expected)
        throw failure(what, `${expected}`, { answer: recorded }, expected ? FAILED : UNNOTICED);
    },
  };
}

const UNDONE = `the event has taken effect, nothing remembers it, and ${TWICE}`;
const FAILED = 'an event that has taken effect is answered 503, or redelivered until its record has expired';
const STUCK = 'nobody has the key, and redeliveries are answered 503 until the lease is over';

const FIRST = 'The first claim of a key';
const RIVAL = 'Another owner claims a claimed key';

export const writeCases: Cases = {
  async 'claim gives its owner the same answer again'(trial) {
    const { claimed, refused, completed } = await writes(trial);
    const [owner, rival] = [unique(), unique()];
    const what = 'The claim of an owner arrives again, because its answer was lost';
    const first = await claimed(owner, FIRST);
    const second = await claimed(owner, what, STUCK);
    if (typeof first === 'bigint' && !(typeof second === 'bigint' && second >= first)) {
      const meaning = 'systems that are fenced with the token refuse the effects of this run';
      throw failure(what, `a fencing token of at least ${first}`, { answer: second }, meaning);
    }
    await refused(rival, 'in-progress', RIVAL);
    await claimed(owner, `${what}, after another owner was refused`, STUCK);
    await completed(owner, true, 'An owner that has claimed its key twice records it');
  },

  async 'record gives its owner the same answer again'(trial) {
    const { claimed, refused, completed } = await writes(trial);
    const [owner, rival] = [unique(), unique()];
    await claimed(owner, FIRST);
    await completed(rival, false, 'An owner without a claim records a claimed key');
    for (const what of ['The first record of a key', 'A record arrives again, because its answer was lost']) {
      await completed(owner, true, what);
    }
    await completed(rival, false, 'Another owner records a recorded key');
    await refused(rival, 'duplicate', 'Another owner claims a recorded key');
  },

  async 'neither a claim nor a release that arrives again late undoes a record'(trial) {
    const { claimed, refused, completed, release } = await writes(trial);
    const [owner, rival] = [unique(), unique()];
    await claimed(owner, FIRST);
    await completed(owner, true, 'The first record of a key');
    await refused(owner, 'duplicate', 'The claim of an owner arrives again, after it has recorded the key');
    await refused(
      rival,
      'duplicate',
      'Another owner claims a key that has been recorded, and then claimed by its owner',
    );
    await release(owner);
    await refused(rival, 'duplicate', 'Another owner claims a key that has been recorded, and then released');
  },

  async 'no write that arrives again late changes the claim of a successor'(trial) {
    const { claimed, refused, completed, release } = await writes(trial);
    const [owner, successor, rival] = [unique(), unique(), unique()];
    await release(owner); // Releases a claim that never arrived.
    await claimed(owner, FIRST);
    await release(owner);
    await release(owner);
    await claimed(successor, 'Another owner claims a key that has been released twice');
    await release(owner);
    await refused(rival, 'in-progress', 'The release of an owner arrived again, after another had claimed the key');
    await refused(owner, 'in-progress', 'The claim of an owner arrives again, after another has claimed the key');
    const lost = 'An owner records a key that another has claimed since';
    await completed(owner, false, lost);
    await completed(owner, false, `${lost}, again`);
    await completed(successor, true, 'The last owner records its key');
  },

  async 'record records a key that is gone'(trial) {
    const { claimed, refused, completed, release } = await writes(trial);
    const owner = unique();
    await claimed(owner, FIRST);
    await release(owner);
    await completed(owner, true, 'An owner records a key whose claim is gone');
    await refused(unique(), 'duplicate', 'Another owner claims a key that was gone, and then recorded');
  },
};
