import { answer } from './front.mjs';

export default {
  fetch: (request, _env, context) => answer(request, {}, (work) => context.waitUntil(work)),
};
