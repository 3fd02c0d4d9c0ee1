import { defineCommand } from '../command.js';

export const send = defineCommand({
  name: 'send',
  summary: 'Send signed deliveries to a receiver: samples, a file, or recorded ones',
  arguments: [{ name: 'url', required: false, help: 'Where to send to' }],
  flags: {
    timeout: {
      type: 'number',
      placeholder: 'seconds',
      min: 0.1,
      max: 600,
      default: 10,
      help: 'How long an answer may take',
    },
  },
  examples: [{ run: 'send', does: 'Send one event' }],
  run: async ({ output, flags }) => {
    output.result(flags, JSON.stringify(flags));
    return 0;
  },
});
