/** An error response, or no response (`status` 0). */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @param {Response} response */
async function errorOf(response) {
  const body = await response.json().catch(() => undefined);
  const message = typeof body?.message === 'string' ? body.message : response.statusText;
  return new ApiError(response.status, message || `The server answered ${response.status}.`);
}

/**
 * Calls to the server that the page came from, with the token.
 * @param {string} token
 */
export function createApi(token) {
  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: unknown, signal?: AbortSignal }} [options]
   */
  async function call(method, path, { body, signal } = {}) {
    /** @type {Record<string, string>} */
    const headers = { Authorization: `Bearer ${token}` };
    if (method !== 'GET') headers['Content-Type'] = 'application/json';
    /** @type {RequestInit} */
    const init = { method, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' };
    if (method !== 'GET') init.body = JSON.stringify(body ?? {});
    if (signal) init.signal = signal;
    let response;
    try {
      response = await fetch(`api/${path}`, init);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(0, 'The server does not respond. Is it still running?');
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  /** @param {Response} response */
  const json = async (response) => (response.status === 204 ? undefined : response.json());

  return {
    /** @param {string} path @param {AbortSignal} [signal] */
    get: async (path, signal) => json(await call('GET', path, signal ? { signal } : {})),
    /** @param {string} path @param {unknown} [body] */
    post: async (path, body) => json(await call('POST', path, { body })),
    /** @param {string} path @param {unknown} body */
    put: async (path, body) => json(await call('PUT', path, { body })),
    /** @param {string} path */
    remove: async (path) => json(await call('DELETE', path)),
    /** @param {string} path @param {AbortSignal} signal */
    open: (path, signal) => call('GET', path, { signal }),
  };
}

/** @typedef {ReturnType<typeof createApi>} Api */

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
