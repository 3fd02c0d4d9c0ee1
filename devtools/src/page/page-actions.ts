import type { KeptDelivery } from '../deliveries/feed.js';

/** A body to sign and send as a new delivery. */
export interface BodyToSend {
  /** The bytes, unchecked. */
  readonly rawBody: Uint8Array;
  /** The delivery that was edited. */
  readonly from: KeptDelivery;
}

type Later<Value> = Value | Promise<Value>;

/** Actions of the page. A missing action is answered 404. Actions may throw HttpError. */
export interface PageActions {
  /** Resends a delivery. Resolves with the id under which it continues. */
  resend?(record: KeptDelivery): Later<{ id: string }>;
  /** Signs a body and sends it. Resolves with the id of the new delivery, before it is answered. */
  send?(body: BodyToSend): Later<{ id: string }>;
  /** Sends the delivery that holds back a webhook's queue now. Resolves with its id; undefined if none is held back. */
  retry?(webhookId: number): Later<{ id: string } | undefined>;
  /** Registers a webhook. The response, including the secret, is sent once. */
  register?(webhook: { label: string; url: string }): Later<object>;
  /** Removes a webhook. Resolves with whether it existed. */
  remove?(id: number): Later<boolean>;
  setFaults?(faults: Record<string, unknown>): Later<object>;
  sample?(): Later<object>;
  /** Forces this answer to authentic deliveries; undefined ends it. */
  respond?(status: number | undefined): void;
}

/** Which actions the page can offer. */
export type Can = Readonly<Record<'resend' | 'send' | 'sample' | 'respond', boolean>>;

/** The actions that a command supports, and that the page does not know from its state. */
export function abilities({ resend, send, sample, respond }: PageActions): Can {
  return {
    resend: resend !== undefined,
    send: send !== undefined,
    sample: sample !== undefined,
    respond: respond !== undefined,
  };
}
