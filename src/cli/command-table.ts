import type { CommandTable } from './command.js';

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
  emulate: {
    summary: 'Run the service on this machine: registrations, signed deliveries, and a chain to watch',
    load: async () => (await import('./commands/emulate.js')).emulate,
  },
};
