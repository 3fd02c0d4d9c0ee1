import { answer } from './front.mjs';

addEventListener('fetch', (event) => {
  const { foreignBytes } = globalThis;
  event.respondWith(answer(event.request, { foreignBytes }, (work) => event.waitUntil(work)));
});
