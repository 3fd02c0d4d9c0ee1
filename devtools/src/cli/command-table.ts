import type { AnyCommand, CommandTable } from './command.js';

type Webhooks = typeof import('./commands/webhooks.js');
const webhooks = (name: keyof Webhooks) => async (): Promise<AnyCommand> =>
  (await import('./commands/webhooks.js'))[name];

/** The commands, in the order of the help. Nothing of a command is loaded before it is called. */
export const commandTable: CommandTable = {
  send: {
    summary: 'Send signed deliveries to a receiver: samples, a file, or recorded ones',
    load: async () => (await import('./commands/send.js')).send,
  },
  listen: {
    summary: 'Receive deliveries, verify them, and print and show what comes',
    load: async () => (await import('./commands/listen.js')).listen,
  },
  explain: {
    summary: 'Say why a delivery does not verify, and what to do about it',
    load: async () => (await import('./commands/explain.js')).explain,
  },
  register: {
    summary: 'Register a webhook with the service, and get its signing secret',
    load: async () => (await import('./commands/register.js')).register,
  },
  webhooks: {
    summary: 'Look after the webhooks that are registered',
    commands: {
      list: { summary: 'List the webhooks that are registered', load: webhooks('list') },
      get: { summary: 'Show one webhook, without its secret', load: webhooks('get') },
      update: { summary: 'Change the label, the URL or the events of a webhook', load: webhooks('update') },
      remove: { summary: 'Remove a webhook: nothing is delivered to it any more', load: webhooks('remove') },
      count: { summary: 'Count the webhooks that are registered', load: webhooks('count') },
      log: { summary: 'Show what the service has delivered to a webhook, and what it has not', load: webhooks('log') },
    },
  },
  emulate: {
    summary: 'Run the service on this machine: registrations, signed deliveries, and a chain to watch',
    load: async () => (await import('./commands/emulate.js')).emulate,
  },
};
