import type { Attributes } from '@opentelemetry/api';
import { isWebhookError } from '../errors.js';
import type { DeliveryItem } from '../events/parse-delivery.js';

/** Attributes of every span and metric, named by the messaging conventions. */
export function messagingAttributes(destination: string): Attributes {
  return {
    'messaging.system': 'webhook',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': destination,
  };
}

/** `error.type` of an error: our code, which bounds the number of values. */
export function errorType(error: unknown): string {
  return isWebhookError(error) ? error.code : '_OTHER';
}

/** `error.type`, if there is an error. */
export function errorAttributes(error: unknown): Attributes {
  return error === undefined ? {} : { 'error.type': errorType(error) };
}

/** The kind of an item; `other` for unknown kinds, so that senders cannot invent values. */
export function kindOf(item: DeliveryItem): string {
  return item.status === 'event' ? item.event.event : 'other';
}

/** A span's attributes for an item. Fields with an open schema are used only if they are text. */
export function eventAttributes(item: DeliveryItem): Attributes {
  if (item.status === 'invalid') return { 'webhook.event.kind': 'other' };
  if (item.status === 'unknown') return { 'messaging.message.id': item.id, 'webhook.event.kind': item.kind };
  const { event } = item;
  const attributes = { 'messaging.message.id': event.id, 'webhook.event.kind': event.event };
  if (event.event === 'transaction.included') {
    const hash: unknown = event.data.tx?.hash;
    return typeof hash === 'string' ? { ...attributes, 'webhook.transaction.hash': hash } : attributes;
  }
  const { name, contract } = event.data.event;
  const { txHash } = event.data.transaction ?? {};
  return {
    ...attributes,
    'webhook.event.name': name,
    'webhook.contract.address': contract.address,
    'webhook.contract.address_label': contract.addressLabel,
    'webhook.contract.label': contract.label,
    ...(txHash === undefined ? {} : { 'webhook.transaction.hash': txHash }),
  };
}
