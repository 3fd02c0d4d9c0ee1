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

const json = async (response: Response): Answer => (response.status === 204 ? undefined : response.json());

/** Calls to the server that the page came from, with the token. */
export function createApi(token: string) {
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
    get: async (path: string, signal?: AbortSignal) => json(await call('GET', path, signal && { signal })),
    post: async (path: string, body?: unknown) => json(await call('POST', path, withJson(body))),
    put: async (path: string, body: unknown) => json(await call('PUT', path, withJson(body))),
    remove: async (path: string) => json(await call('DELETE', path, withJson())),
    /** The response itself, which is a stream. */
    open: (path: string, signal: AbortSignal) => call('GET', path, { signal }),
    /** The response to a POST, which is not JSON. */
    download: (path: string, body: object) => call('POST', path, withJson(body)),
    upload: async (path: string, body: Blob | string, type: string) => json(await call('POST', path, { body }, type)),
  };
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

export type Api = ReturnType<typeof createApi>;
