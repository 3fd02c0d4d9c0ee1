import { signal } from '@preact/signals';
import { messageOf } from './api.js';
import type { Session } from './session.js';
import { counted } from './shared/format.js';
import { attempt, notify } from './shared/notices.js';
import type { State, Summary } from './types.js';

/** Whether a delivery can be sent again with a new signature: not one that is known not to be authentic. */
export const resendable = (state: State | undefined, summary: Pick<Summary, 'verified'> | undefined) =>
  state?.can.resend === true && summary !== undefined && summary.verified !== false;

/** Sends deliveries again, one after the other. The last one is shown. */
export async function resend(session: Session, ids: readonly string[]): Promise<void> {
  let sent = 0;
  let id: string | undefined;
  try {
    for (const each of ids) {
      id = (await session.api.post(`deliveries/${encodeURIComponent(each)}/resend`))?.id;
      sent++;
    }
    notify(ids.length === 1 ? 'Delivery resent.' : `${counted(sent, 'delivery', 'deliveries')} resent.`);
  } catch (error) {
    notify(`${sent > 0 ? `${sent} of ${ids.length} resent. ` : ''}${messageOf(error)}`, 'bad');
  }
  if (id === undefined) return;
  session.show(id);
  if (session.openId.value !== undefined && ids.length === 1) session.open(id);
}

/** Whether a sample is being sent. */
export const sendingSample = signal(false);

/** Sends a sample, and shows it when it comes. */
export async function sendSample(session: Session): Promise<void> {
  if (session.state.value?.webhooks?.length === 0) {
    notify('A sample needs a webhook: register the URL of your receiver first.', 'bad');
    session.dialog.value = 'register';
    return;
  }
  sendingSample.value = true;
  session.show();
  await attempt(async () => {
    const { id }: { id?: string } = await session.api.post('sample');
    if (id !== undefined) session.show(id);
    notify('Sample sent.');
  });
  sendingSample.value = false;
}
