/** The answer to a message. */
export interface Answered {
  readonly error?: { readonly code: string; readonly severity: string; readonly message: string };
  readonly results: readonly {
    readonly rows: readonly object[];
    readonly rowCount: number | null;
    readonly command: string;
  }[];
}

/** The real server, or the model. Sessions have names. */
export interface Engine {
  open(name: string): Promise<void>;
  /** Resolves when the message is answered; never after the session has ended without an answer. */
  send(name: string, text: string): Promise<Answered>;
  /** Loses the client. */
  end(name: string): Promise<void>;
  /** The sessions that the server has ended. */
  ended(): readonly string[];
  /** Resolves when each session has answered or waits for a lock, and those that have ended are gone. */
  settled(): Promise<{ readonly waiting: readonly string[] }>;
}

export const statementsIn = (results: unknown) => [results].flat() as Answered['results'];
