// What the server of the page sends (nothing of this file is loaded by the page).

/** @typedef {import('../record.js').Verdict} Verdict */
/** @typedef {import('../record.js').Attempt} Attempt */
/** @typedef {import('../../explain/finding.js').Finding} Finding */

/**
 * A delivery as the list shows it.
 * @typedef {object} Summary
 * @property {string} id
 * @property {number} at Unix milliseconds
 * @property {string} target
 * @property {string} [label]
 * @property {Verdict} verdict
 * @property {number} [status]
 * @property {string} [code]
 * @property {number} [durationMs]
 * @property {number} attempts
 * @property {string} [fault]
 * @property {number} bytes
 * @property {string[]} kinds
 * @property {string[]} contracts labels, or addresses where there are none
 * @property {string[]} names names of events
 * @property {number} events
 * @property {number} [nextAttemptAt] Unix milliseconds
 */

/**
 * @typedef {object} InputView
 * @property {string} name
 * @property {string} type
 * @property {string} value as it came
 * @property {boolean} [hashed]
 * @property {string} [exact] the amount in its smallest unit, decoded from the log
 * @property {string} [formatted]
 */

/**
 * One item of a delivery's array.
 * @typedef {object} ItemView
 * @property {'event' | 'unknown' | 'invalid'} status
 * @property {string} [outcome]
 * @property {string} [id]
 * @property {string} [kind]
 * @property {string} [name]
 * @property {string} [signature]
 * @property {string} [triggeredAt]
 * @property {{ address: string, label: string, name: string }} [contract]
 * @property {InputView[]} [inputs]
 * @property {{ hash: string, from: string, blockNumber?: number, method?: string, status?: string }} [transaction]
 * @property {boolean} [removed]
 * @property {{ path: string, message: string }[]} [issues]
 */

/** @typedef {readonly [name: string, value: string]} HeaderLine */

/**
 * @typedef {object} Extra
 * @property {HeaderLine[]} headers of the last attempt
 * @property {string} bodyBase64
 * @property {boolean} [bodyTruncated]
 * @property {boolean} [bodyDropped]
 * @property {Attempt[]} attempts
 * @property {Finding[]} findings
 * @property {ItemView[]} items
 */

/** @typedef {Omit<Summary, 'attempts'> & Extra} Detail */

/** @typedef {{ id: number, label: string, url: string }} Webhook */

/**
 * @typedef {object} Faults
 * @property {boolean} duplicate
 * @property {boolean} reorder
 * @property {number} delayMs
 * @property {boolean} wrongSignature
 * @property {boolean} oldTimestamp
 */

/**
 * @typedef {object} State
 * @property {'listen' | 'emulate'} mode
 * @property {string} title
 * @property {string} [target]
 * @property {number} now Unix milliseconds
 * @property {{ signature: string, timestamp: string }} headers
 * @property {Webhook[]} [webhooks]
 * @property {Faults} [faults]
 * @property {{ rpcUrl: string, chainId: number, contracts: unknown[] }} [chain]
 * @property {{ url: string }} [service]
 * @property {{ maxDeliveries: number }} limits
 */

export {};
