import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Change } from '../list/insight.js';
import type { Session } from '../session.js';
import { bytes, counted, day, duration, moment, statusLine } from '../shared/format.js';
import { LongText, line, Wire } from '../shared/text.js';
import type { Attempt, Detail, Verdict } from '../types.js';
import { Attempts, Reason } from './attempts.js';
import { BytesView, type Form } from './bytes-view.js';
import { Events } from './events.js';
import { HeaderTable, Response } from './exchange.js';

/** Longest text of a finding that is shown whole. */
const LONGEST_TEXT = 4000;

interface StepProps {
  readonly title: string;
  /** One line about it. */
  readonly about: ComponentChildren;
  /** The verdict that it led to. */
  readonly tone?: Verdict | undefined;
  /** Whether it opens without a click. */
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

/** A step of a delivery. Its content is rendered while it is open. */
function Step({ title, about, tone, isOpen: atFirst, children }: StepProps) {
  const [chosen, choose] = useState<boolean>();
  // Stays open when the delivery changes while someone reads it.
  const [wasOpened, setOpened] = useState(atFirst);
  if (atFirst && !wasOpened) setOpened(true);
  const isOpen = chosen ?? wasOpened;
  return (
    <li class={tone ? `step ${tone}` : 'step'}>
      <details open={isOpen} onToggle={({ currentTarget }) => currentTarget.open !== isOpen && choose(!isOpen)}>
        <summary>
          <h3>{title}</h3> <span class="about">{about}</span>
        </summary>
        {isOpen && <div class="step-body">{children}</div>}
      </details>
    </li>
  );
}

function Body({ detail, form }: { detail: Detail; form: Signal<Form> }) {
  const { bodyDropped, bodyTruncated, bodyBase64, bytes: size, verified } = detail;
  if (bodyDropped) {
    return (
      <p class="muted">
        {verified === false
          ? 'The body was not read, or is no longer kept.'
          : 'The body is no longer kept: memory was needed for later deliveries.'}
      </p>
    );
  }
  const note = bodyTruncated && `Only the first 1 MiB of ${bytes(size)} is shown.`;
  return (
    <BytesView
      base64={bodyBase64}
      what="Body"
      form={form}
      note={note || undefined}
      indentedNote="Indented for reading. The signature covers the bytes as received."
      isCut={bodyTruncated}
    />
  );
}

/** The result of the verification, from this process or from the app's response. */
function verification(
  { verified, verdict, cause }: Detail,
  isListening: boolean,
): Pick<StepProps, 'title' | 'tone'> & { about: string } {
  const why = cause ? line(cause.text) : '';
  if (verified === true) return { title: 'Verified', tone: 'accepted', about: 'signature and timestamp are right' };
  if (verified === false) return { title: 'Not verified', tone: 'refused', about: why };
  const who = isListening ? '' : 'by your app';
  if (verdict === 'accepted') return { title: 'Verified', tone: 'accepted', about: why || who };
  if (verdict === 'refused') return { title: 'Refused', tone: 'refused', about: why || who };
  if (verdict === 'failed') return { title: 'Failed', tone: 'failed', about: why };
  return { title: 'Not verified yet', about: '' };
}

function answerOf({ status, durationMs, reason, code, response }: Attempt): string {
  const took = durationMs === undefined ? '' : ` in ${duration(durationMs)}`;
  const size = response ? ` · ${response.bytes === 0 ? 'no body' : bytes(response.bytes)}` : '';
  if (status !== undefined) return `${statusLine(status)}${took}${size}`;
  return reason || code || durationMs !== undefined ? `no response${took}` : 'no answer yet';
}

/** Why a delivery was not accepted, the likeliest cause first, each with its fix. */
const Findings = ({ findings }: Pick<Detail, 'findings'>) => (
  <ul class="findings">
    {findings.map(({ what, confidence, fix, cause }, index) => (
      <li key={index} class="finding" data-cause={cause}>
        <p class="what">
          {confidence && <span class={confidence === 'certain' ? 'tag refused' : 'tag'}>{confidence}</span>}{' '}
          <LongText text={what} length={LONGEST_TEXT} />
        </p>
        <p class="fix">
          <strong>Fix: </strong>
          <LongText text={fix} length={LONGEST_TEXT} />
        </p>
      </li>
    ))}
  </ul>
);

/** The steps of a delivery: sent, verified, forwarded, answered. Each opens. */
export function Story({ session, detail }: { session: Session; detail: Detail }) {
  const forms = { body: useSignal<Form>('Indented'), response: useSignal<Form>('Indented') };
  const chosen = useSignal<{ id: string; index: number } | undefined>(undefined);
  const { api } = session;
  const state = session.state.value;
  const { attempts, earlierAttempts = 0, id, verdict, findings, events, bytes: size, target, label, verified } = detail;
  const isListening = state?.mode === 'listen';
  const index = chosen.value?.id === id ? chosen.value.index : attempts.length - 1;
  const attempt = attempts[index];
  const last = attempts.at(-1);
  const number = attempts.length + earlierAttempts > 1 ? `, attempt ${earlierAttempts + index + 1}` : '';
  const isFine = verdict === 'accepted' && findings.length === 0;
  const read = detail.unread ? 'not read' : counted(events, 'event');
  return (
    <ol class="story">
      <Step
        key={`sent ${id}`}
        title={isListening || detail.recorded ? 'Received' : 'Sent'}
        about={
          <>
            {`${day(detail.at)} · ${read} · ${bytes(size)} · `}
            <Wire text={label ? `${label} · ${target}` : target} />
          </>
        }
        isOpen={isFine}
      >
        <h4>Events</h4>
        <Events key={id} api={api} detail={detail} />
        {attempt && (
          <>
            <h4>Headers{number}</h4>
            <p class="muted">Sent {moment(attempt.at)}.</p>
            <HeaderTable headers={attempt.headers} more={attempt.moreHeaders} />
          </>
        )}
        <h4>Body</h4>
        <Body detail={detail} form={forms.body} />
      </Step>
      <Step key={`verified ${id}`} {...verification(detail, isListening)} isOpen={!isFine && verdict !== 'pending'}>
        {last && (last.reason || last.code || last.fault) && (
          <p class="reason">
            <Reason {...last} />
          </p>
        )}
        <Findings findings={findings} />
        {detail.cause && <Change cause={detail.cause.id} state={state} />}
        {findings.length === 0 && verdict === 'accepted' && <p class="muted">The delivery took effect.</p>}
      </Step>
      {isListening && !detail.recorded && (
        <Step
          key={`forwarded ${id}`}
          title={verified === false || !state?.target ? 'Not forwarded' : 'Forwarded'}
          about={verified === false ? 'only authentic deliveries are' : (state?.target ?? 'start with --forward')}
          isOpen={false}
        >
          <p class="muted">
            {verified !== false && state?.target
              ? 'With the same bytes and headers. The sender got the status of your app.'
              : 'The delivery was answered here.'}
          </p>
        </Step>
      )}
      {attempt && (
        <Step
          key={`answered ${id}`}
          title="Answered"
          about={answerOf(attempt) + number}
          tone={verdict === 'pending' ? undefined : verdict}
          isOpen={!isFine}
        >
          <Attempts
            session={session}
            detail={detail}
            shown={index}
            onShow={(next) => {
              chosen.value = { id, index: next };
            }}
          />
          <Response attempt={attempt} form={forms.response} isOurs={isListening} />
        </Step>
      )}
    </ol>
  );
}
