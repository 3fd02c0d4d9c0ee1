import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { createExplainer, type Explainer } from '../confined/explainer.js';
import { addCauses } from '../deliveries/causes.js';
import type { FindingSources } from '../deliveries/findings.js';
import { answerJson, HttpError } from '../http.js';
import { abilities, type PageActions } from './page-actions.js';
import { createPageApi } from './page-api.js';
import { createGuard, type PageGuard, secure } from './page-guard.js';
import type { PageState, ServedState } from './page-state.js';
import { createStreams, type StreamOptions } from './page-streams.js';
import { createRecordings } from './recordings.js';

export interface PageOptions extends Omit<StreamOptions, 'state'>, FindingSources {
  /** Closed together with the page. (Default: a new one.) */
  readonly explainer?: Explainer | undefined;
  /** Port on 127.0.0.1. (Default: a free port.) */
  readonly port?: number | undefined;
  /** Returns the current state. Call `stateChanged` when it has changed. */
  readonly state: () => PageState;
  readonly actions?: PageActions | undefined;
  /** Directory with the files of the page. (Default: beside this module.) */
  readonly directory?: URL | undefined;
}

/** A running page server. */
export interface ServedPage {
  /** Its URL, without the token. */
  readonly url: string;
  readonly port: number;
  /** The token that all calls under /api need. */
  readonly token: string;
  /** The URL to open, with the token. */
  readonly address: string;
  /** Sends the current state to all open pages. */
  stateChanged(): void;
  close(): Promise<void>;
}

/**
 * Serves the page on loopback. Only requests with the token see deliveries or change anything. Rejects with the error of
 * node:http when the port is in use.
 */
export async function servePage(options: PageOptions): Promise<ServedPage> {
  const { feed, actions = {}, contracts = () => new Map(), explainer = createExplainer() } = options;
  const files = pageFiles(options.directory ?? new URL('./browser/', import.meta.url));
  const token = randomBytes(32).toString('base64url');
  const can = abilities(actions);
  const limits = { maxDeliveries: feed.maxDeliveries };
  const state = (): ServedState => ({ ...options.state(), now: Date.now(), limits, can });
  const streams = createStreams({ ...options, state });
  const recordings = createRecordings(feed, explainer.read);
  const api = createPageApi({
    ...{ feed, streams, actions, recordings, state, contracts },
    sources: options,
    explainer: explainer.first,
  });
  const stopCauses = addCauses({ feed, sources: options, explain: explainer.explain });
  let guard: PageGuard;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    secure(response);
    guard.checkHost(request);
    const [path = '', query] = String(request.url).split('?', 2);
    if (path.startsWith('/api/')) {
      guard.checkCall(request);
      return api(request, response, path, query);
    }
    if (request.method !== 'GET') throw new HttpError(405, 'Use GET for the files of the page.');
    const file = await files(path);
    if (file === undefined) throw new HttpError(404, 'This file does not exist.');
    response.writeHead(200, { 'Content-Type': file.type }).end(file.content);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(request, response, error));
  });
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  }).catch((error: unknown) => {
    streams.close();
    throw error;
  });
  const { port } = server.address() as AddressInfo;
  guard = createGuard(port, token);
  const url = `http://127.0.0.1:${port}/`;

  return {
    url,
    port,
    token,
    address: `${url}#token=${token}`,
    stateChanged: streams.stateChanged,
    close: () =>
      new Promise((resolve) => {
        stopCauses();
        explainer.close();
        streams.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends an error response. Messages that were not written for users are not disclosed. */
function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const refusal = error instanceof HttpError ? error : new HttpError(500, 'The page server failed.');
  answerJson(request, response, { status: refusal.status, message: refusal.message }, refusal);
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** The files of the page in a directory. Requests are matched against their names: no request becomes a file path. */
function pageFiles(directory: URL) {
  const urls = new Map<string, URL>();
  for (const found of readdirSync(directory, { recursive: true }) as string[]) {
    const name = found.replaceAll('\\', '/');
    if (TYPES[extname(name)] !== undefined) urls.set(`/${name}`, new URL(name, directory));
  }
  /** The file of a URL path; undefined if there is none. */
  return async (path: string): Promise<{ type: string; content: Buffer } | undefined> => {
    const name = path === '/' ? '/index.html' : path;
    const url = urls.get(name);
    return url && { type: TYPES[extname(name)] as string, content: await readFile(url) };
  };
}
