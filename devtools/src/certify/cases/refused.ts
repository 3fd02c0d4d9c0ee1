import type { Answer } from '../../post.js';
import { answersWords, answerWords, fixOf, isTaken } from '../answer.js';
import type { Bench, Request } from '../bench.js';
import { type Advice, type Case, failed, type Outcome, passed, warning } from '../case.js';
import { leakOf } from '../leaks.js';
import { FORGERIES, type Forgery, signedSample } from './forged.js';

const LEAK: Advice = {
  risk: 'A stranger reads it, and signs what they like or learns how your handler works.',
  fix: 'Answer a refusal with an empty body. Write the reason to your log.',
};
const CRASH: Advice = {
  risk: 'Any stranger can make the handler throw: alarms, a full error log, in the worst case a process that ends.',
  fix: 'Check the form of headers and body before you use them, and answer 403.',
};

/** Statuses of a server that refused the content of a request. */
const isRefused = ({ status = 0 }: Answer) => status >= 400 && status < 500 && ![404, 405, 408, 429].includes(status);

/** What is wrong with the answer to a forged request; undefined if it was refused. */
function flawOf(name: string, request: Request, answer: Answer, bench: Bench): Outcome | undefined {
  const words = answerWords(answer);
  if (isTaken(answer)) return failed(`${name}: taken (${words})`);
  const leak = leakOf(answer, request, bench);
  if (leak !== undefined) return failed(`${name}: the answer contains ${leak}`, LEAK);
  if (isRefused(answer)) return undefined;
  const { status = 500 } = answer;
  if (status >= 500) return failed(`${name}: ${words}, which is not a refusal`, CRASH);
  return failed(`${name}: ${words}, which is not a refusal`, { fix: fixOf(answer) });
}

async function refuses({ make }: Forgery, bench: Bench): Promise<Outcome> {
  const forged = make(() => signedSample(bench), bench);
  const answers: Answer[] = [];
  const flaws: Outcome[] = [];
  const { effects = 0 } = await bench.count(0, async () => {
    for (const [name, request] of Object.entries(forged)) {
      const answer = await bench.send(request);
      answers.push(answer);
      const flaw = flawOf(name, request, answer, bench);
      if (flaw) flaws.push(flaw);
      if (!answer.connected) break;
    }
  });
  const [first] = flaws;
  if (first) return { ...first, detail: flaws.map(({ detail }) => detail).join('; ') };
  if (effects > 0)
    return failed(`${answersWords(answers)}, but ${effects} effects`, { fix: 'Verify first, then act.' });
  return passed(answersWords(answers));
}

const forged = FORGERIES.map((each): Case => ({ ...each, group: 'forged', run: (bench) => refuses(each, bench) }));

/** Either answer is right; the handler must not throw. */
const upperCase: Case = {
  id: 'upper-case-hex',
  group: 'forged',
  title: 'The right signature in upper case: taken or refused',
  ...CRASH,
  async run(bench) {
    const signed = signedSample(bench);
    const request = { ...signed, signature: signed.signature.toUpperCase() };
    const answer = await bench.send(request);
    if (isTaken(answer)) return passed(`taken (${answerWords(answer)})`);
    return flawOf('upper case', request, answer, bench) ?? passed(`refused (${answerWords(answer)})`);
  },
};

/** An hour would look like a clock in another time zone. */
const OFF_SECONDS = 50 * 60;

/** A request with a valid signature that is far from now. */
const ofAge = (id: string, off: number, when: string): Case => ({
  id,
  group: 'forged',
  title: `Signed ${when}; taken is a warning, or a failure with \`--window\``,
  risk: 'A recorded delivery can be replayed once your store has forgotten its events.',
  fix: 'Refuse timestamps that are more than five minutes off, in either direction. The specification shows no window: if retries keep the first timestamp, take a longer one.',
  async run(bench) {
    const request = signedSample(bench, bench.seconds() + off);
    const answer = await bench.send(request);
    if (isTaken(answer)) return (bench.window ? failed : warning)(`taken (${answerWords(answer)})`);
    return flawOf(when, request, answer, bench) ?? passed(`refused (${answerWords(answer)})`);
  },
});

export const refused: readonly Case[] = [
  ...forged,
  upperCase,
  ofAge('stale', -OFF_SECONDS, '50 minutes ago'),
  ofAge('future', OFF_SECONDS, 'for 50 minutes from now'),
];
