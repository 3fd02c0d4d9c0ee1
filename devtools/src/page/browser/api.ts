/** An error response, or no response (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => undefined);
  const message = typeof body?.message === 'string' ? body.message : response.statusText;
  return new ApiError(response.status, message || `The server answered ${response.status}.`);
}

// biome-ignore lint/suspicious/noExplicitAny: what the page's own server answers; types.ts describes it.
type Answer = Promise<any>;

/** Calls to the server that the page came from. */
export interface Api {
  get(path: string, signal?: AbortSignal): Answer;
  post(path: string, body?: unknown): Answer;
  put(path: string, body: unknown): Answer;
  remove(path: string): Answer;
  /** The response itself, which is a stream. */
  open(path: string, signal: AbortSignal): Promise<Response>;
  /** The response to a POST, which is not JSON. */
  download(path: string, body: object): Promise<Response>;
  /** Posts text that is not JSON. */
  upload(path: string, body: Blob | string, type: string): Answer;
}

const json = async (response: Response) => (response.status === 204 ? undefined : response.json());

/** Calls with the token. */
export function createApi(token: string): Api {
  async function call(method: string, path: string, init: RequestInit = {}, type = 'application/json') {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    if (method !== 'GET') headers['Content-Type'] = type;
    const fixed = { method, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' } as const;
    let response: Response;
    try {
      response = await fetch(`api/${path}`, { ...init, ...fixed });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new ApiError(0, 'The command does not answer. Is it still running?');
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  }
  const withJson = (body: unknown = {}) => ({ body: JSON.stringify(body) });

  return {
    get: async (path, signal) => json(await call('GET', path, signal && { signal })),
    post: async (path, body) => json(await call('POST', path, withJson(body))),
    put: async (path, body) => json(await call('PUT', path, withJson(body))),
    remove: async (path) => json(await call('DELETE', path, withJson())),
    open: (path, signal) => call('GET', path, { signal }),
    download: (path, body) => call('POST', path, withJson(body)),
    upload: async (path, body, type) => json(await call('POST', path, { body }, type)),
  };
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
