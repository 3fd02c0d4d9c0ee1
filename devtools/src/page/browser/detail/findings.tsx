import { LongText } from '../shared/text.js';
import type { Finding } from '../types.js';

/** Maximum length of a fix before it is cut. */
const LONGEST_FIX = 4000;

/** Findings that say why there is no explanation: they have no confidence. */
const NOTES = new Set([
  'not-explained',
  'explanation-too-costly',
  'items-not-decoded',
  'body-dropped',
  'secret-unknown',
]);

/** Why a delivery was not accepted, the likeliest cause first, each with its fix. */
export const Findings = ({ findings }: { findings: readonly Finding[] }) => (
  <ul class="findings">
    {findings.map(({ what, confidence, fix, cause }, index) => (
      <li key={index} class={NOTES.has(cause) ? 'finding note' : 'finding'} data-cause={cause}>
        <p class="what">
          {!NOTES.has(cause) && <span class={`sure ${confidence}`}>{confidence}</span>}{' '}
          <LongText text={what} length={LONGEST_FIX} />
        </p>
        <p class="fix">
          <strong>Fix: </strong>
          <LongText text={fix} length={LONGEST_FIX} />
        </p>
      </li>
    ))}
  </ul>
);
