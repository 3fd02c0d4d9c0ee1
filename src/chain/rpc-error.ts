import { WebhookError } from '../errors.js';

/**
 * A node does not answer, refuses, or answers what cannot be. The message names the call and the node's origin: the rest
 * of its URL may be a key.
 */
export class RpcError extends WebhookError<'ERR_WEBHOOK_RPC'> {
  constructor(message: string, options?: { cause?: unknown }) {
    super('ERR_WEBHOOK_RPC', message, options);
    // As text: bundlers shorten the names of classes.
    this.name = 'RpcError';
  }
}
