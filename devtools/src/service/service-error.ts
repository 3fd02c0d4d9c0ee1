/** A call that the service refuses, as its API answers it: the HTTP status, and a message that says what to do. */
export class ServiceError extends Error {
  readonly status: number;
  /** Headers that belong to the status. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
    this.headers = headers;
  }
}
