import { createContext } from 'node:vm';

/** A context with what the web platform has, and nothing of Node: no process, no Buffer, no require. */
export function createWebContext() {
  const web = { AbortController, Headers, ReadableStream, Request, Response, TextDecoder, TextEncoder, URL };
  return createContext({ ...web, setTimeout, clearTimeout, queueMicrotask, crypto, console });
}
