import type { Attempt } from '../deliveries/delivery-record.js';
import type { ItemView } from '../deliveries/item-view.js';
import type { Row } from '../deliveries/rows.js';
import type { Summary } from '../deliveries/views.js';
import type { Finding } from '../explain/finding.js';
import { attemptText } from './attempt-text.js';
import { deliveryText } from './delivery-text.js';
import type { Colors } from './output.js';

/** What is known of a delivery when it is printed. */
export interface Printed {
  readonly summary: Summary;
  readonly last: Attempt;
  readonly rows: readonly Row[];
  /** Only for a style that decodes. */
  readonly items: readonly ItemView[];
}

/** How deliveries are printed. */
export interface Style {
  /** Decodes the items of an authentic body, if the style shows values in full. */
  decode?(rawBody: Uint8Array): readonly ItemView[];
  /** Whether the text contains the reason of a refusal. */
  readonly saysWhy?: true;
  /** As text. */
  text(printed: Printed, colors: Colors): string;
  /** As JSON documents. */
  documents(printed: Printed, findings: readonly Finding[]): object[];
}

/** `listen`: a delivery with its items. */
export const deliveryStyle: Style = {
  text: ({ summary, rows }, colors) => deliveryText(summary, rows, colors),
  documents: ({ summary, last: { reason } }, findings) => [{ delivery: { ...summary, reason, findings } }],
};

/** `emulate`: an attempt to deliver. */
export const attemptStyle: Style = {
  saysWhy: true,
  text: ({ summary, last }, colors) => attemptText(summary, last, colors),
  documents: ({ summary, last: { reason } }, findings) => [{ attempt: { ...summary, reason, findings } }],
};
