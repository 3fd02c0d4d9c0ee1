import type { Session } from '../session.js';
import { clock, counted, day, duration, moment, until } from '../shared/format.js';
import { LongText, Wire } from '../shared/text.js';
import type { Attempt, Detail } from '../types.js';

/** What was wrong with an attempt, apart from its status. */
export const Reason = ({ fault, code, reason }: Pick<Attempt, 'fault' | 'code' | 'reason'>) => (
  <>
    {fault && <Wire text={fault} class="tag refused" />} {code && <Wire text={code} class="tag mono" />}{' '}
    {reason && <LongText text={reason} />}
  </>
);

interface Props {
  readonly session: Session;
  readonly detail: Detail;
  /** Index of the attempt whose request and response are shown. */
  readonly shown: number;
  onShow(index: number): void;
}

/** Every attempt, if there are several, and when the next one is due. One is chosen, to see its request and response. */
export function Attempts({ session, detail, shown, onShow }: Props) {
  const { attempts, earlierAttempts = 0, nextAttemptAt } = detail;
  if (nextAttemptAt !== undefined) session.clock.value;
  return (
    <>
      {earlierAttempts > 0 && <p class="muted">{counted(earlierAttempts, 'earlier attempt')} not shown.</p>}
      {attempts.length > 1 && (
        <table class="attempts">
          <thead>
            <tr>
              {['#', 'Sent', 'Response', 'Took', 'Reason'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {attempts.map(({ at, status, reason, code, durationMs, fault }, index) => (
              <tr key={index} class={index === shown ? 'shown-attempt' : ''} onClick={() => onShow(index)}>
                <th scope="row">
                  <button
                    type="button"
                    class="quiet"
                    aria-pressed={index === shown}
                    aria-label={`Show attempt ${earlierAttempts + index + 1}`}
                  >
                    {earlierAttempts + index + 1}
                  </button>
                </th>
                <td class="mono" title={moment(at)}>
                  {day(at)}
                </td>
                <td>{status ?? (code || reason ? 'none' : '…')}</td>
                <td>{durationMs === undefined ? '' : duration(durationMs)}</td>
                <td class="why">
                  <Reason fault={fault} code={code} reason={reason} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {nextAttemptAt !== undefined && (
        <p class="next">
          Next attempt {until(nextAttemptAt, session.now())}, at {clock(nextAttemptAt)}.
        </p>
      )}
    </>
  );
}
