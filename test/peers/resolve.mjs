// For the processes that the tests start: the project's own files get the peers that are installed here.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const peers = new URL('./package.json', import.meta.url);
const pinned = Object.keys(JSON.parse(readFileSync(peers, 'utf8')).dependencies);

registerHooks({
  resolve(specifier, context, next) {
    // What tests build is in node_modules/.cache.
    const isOurs = context.parentURL !== undefined && !/\/node_modules\/(?!\.cache\/)/.test(context.parentURL);
    const isPinned = pinned.some((name) => specifier === name || specifier.startsWith(`${name}/`));
    return next(specifier, isOurs && isPinned ? { ...context, parentURL: peers.href } : context);
  },
});
