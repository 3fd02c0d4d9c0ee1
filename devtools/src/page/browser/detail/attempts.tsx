import type { Session } from '../session.js';
import { clock, counted, day, duration, momentWithZone, until } from '../shared/format.js';
import { LongText, Wire } from '../shared/text.js';
import type { Attempt, Detail } from '../types.js';

interface RowProps {
  readonly attempt: Attempt;
  readonly number: number;
  readonly isShown: boolean;
  onShow(): void;
}

function AttemptRow({ attempt: { at, status, reason, code, durationMs, fault }, number, isShown, onShow }: RowProps) {
  return (
    <tr class={isShown ? 'shown-attempt' : ''} onClick={onShow}>
      <th scope="row">
        <button type="button" class="quiet" aria-pressed={isShown} aria-label={`Show attempt ${number}`}>
          {number}
        </button>
      </th>
      <td class="mono" title={momentWithZone(at)}>
        {day(at)}
      </td>
      <td>{status ?? (code || reason ? 'none' : '…')}</td>
      <td>{durationMs === undefined ? '' : duration(durationMs)}</td>
      <td class="why">
        {fault && <Wire text={fault} class="fault" />}
        {fault && (code || reason) && ' '}
        {code && <Wire text={code} class="code" />}
        {code && reason && ' '}
        {reason && <LongText text={reason} />}
      </td>
    </tr>
  );
}

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
            {attempts.map((attempt, index) => (
              <AttemptRow
                key={index}
                attempt={attempt}
                number={earlierAttempts + index + 1}
                isShown={index === shown}
                onShow={() => onShow(index)}
              />
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
