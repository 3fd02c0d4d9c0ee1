import { duration } from '../shared/format.js';
import { LongText, Wire } from '../shared/text.js';
import { meanings, VerdictMark } from '../shared/verdict.js';
import type { Detail, Finding } from '../types.js';
import { statusLine } from './status-text.js';

/** Maximum length of a fix before it is cut. */
const LONGEST_FIX = 4000;

const FindingItem = ({ what, confidence, fix, cause }: Finding) => (
  <li class="finding" data-cause={cause}>
    <p class="what">
      <span class={`sure ${confidence}`}>{confidence}</span> <LongText text={what} length={LONGEST_FIX} />
    </p>
    <p class="fix">
      <strong>Fix: </strong>
      <LongText text={fix} length={LONGEST_FIX} />
    </p>
  </li>
);

function answerOf({ status, durationMs, verdict }: Detail): string {
  const took = durationMs === undefined ? '' : ` in ${duration(durationMs)}`;
  if (status !== undefined) return `Answered ${statusLine(status)}${took}.`;
  return verdict === 'pending' ? meanings.pending : `No answer${took}.`;
}

/** The verdict and its reasons. */
export function Explanation({ detail }: { detail: Detail }) {
  const last = detail.attempts.at(-1);
  const { findings } = detail;
  const isTold = findings.some(({ cause }) => cause === 'fault-on-request');
  return (
    <>
      <p class="answer">
        <VerdictMark verdict={detail.verdict} />
        <span>{answerOf(detail)}</span>
      </p>
      {last?.fault && !isTold && (
        <p>
          Fault: <Wire text={last.fault} class="fault" />.
        </p>
      )}
      {(last?.reason || last?.code) && (
        <p class="reason">
          {last.code && <Wire text={last.code} class="code" />}
          {last.code && last.reason && ' '}
          {last.reason && <LongText text={last.reason} />}
        </p>
      )}
      {findings.length > 0 && <h4>Why</h4>}
      {findings.length > 0 && (
        <ul class="findings">
          {findings.map((finding, index) => (
            <FindingItem key={index} {...finding} />
          ))}
        </ul>
      )}
    </>
  );
}
