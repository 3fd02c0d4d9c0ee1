// For the processes that the tests start: the project's own files get the peers that are installed here.
import { registerHooks } from 'node:module';

const peers = new URL('./package.json', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const isOurs = context.parentURL !== undefined && !context.parentURL.includes('/node_modules/');
    if (isOurs && ['pg-boss', 'ioredis'].includes(specifier)) return next(specifier, { ...context, parentURL: peers });
    return next(specifier, context);
  },
});
