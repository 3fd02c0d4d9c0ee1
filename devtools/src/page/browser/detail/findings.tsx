import { LongText } from '../shared/text.js';
import type { Finding } from '../types.js';

/** Maximum length of a fix before it is cut. */
const LONGEST_FIX = 4000;

/** Why a delivery was not accepted, the likeliest cause first, each with its fix. */
export const Findings = ({ findings }: { findings: readonly Finding[] }) => (
  <ul class="findings">
    {findings.map(({ what, confidence, fix, cause }, index) => (
      <li key={index} class={confidence ? 'finding' : 'finding note'} data-cause={cause}>
        <p class="what">
          {confidence && <span class={`sure ${confidence}`}>{confidence}</span>}{' '}
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
