// The types of what the page's server sends. The page does not load this file.

/** @typedef {import('../../deliveries/delivery-record.js').Verdict} Verdict */
/** @typedef {import('../../deliveries/delivery-record.js').Attempt} Attempt */
/** @typedef {import('../../deliveries/delivery-record.js').HeaderLine} HeaderLine */
/** @typedef {import('../../explain/finding.js').Finding} Finding */
/** @typedef {import('../../deliveries/views.js').Summary} Summary */
/** @typedef {import('../../deliveries/views.js').Detail} Detail */
/** @typedef {import('../../deliveries/item-view.js').ItemView} ItemView */
/** @typedef {import('../../deliveries/item-view.js').InputView} InputView */

/** @typedef {{ readonly id: number, readonly label: string, readonly url: string }} Webhook */

/** @typedef {import('../../service/faults.js').Faults} Faults */

/** @typedef {import('../page-state.js').ServedState} Served */
/** @typedef {Omit<Served, 'webhooks' | 'faults'> & { webhooks?: Webhook[], faults?: Faults }} State */

export {};
